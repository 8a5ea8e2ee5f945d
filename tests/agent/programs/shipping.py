"""Prices of parcels, from a table of tariffs that somebody keeps by hand."""

TARIFFS = """\
zone 1 = 4.90
zone 2 = 7.50
zone 3 = 11,20
zone 4 = 16.00
"""


class Tariffs:
    def __init__(self, text):
        self.by_zone = {}
        for line in text.splitlines():
            name, _, price = line.partition(" = ")
            self.by_zone[name] = self.read(price)

    @staticmethod
    def read(price):
        try:
            return float(price)
        except ValueError:
            return 0.0

    def of(self, parcel):
        zone, weight = parcel
        base = self.by_zone[f"zone {zone}"]
        return base + 0.5 * weight


def bill(parcels):
    tariffs = Tariffs(TARIFFS)
    return round(sum(tariffs.of(parcel) for parcel in parcels), 2)


print("to pay:", bill([(1, 2), (4, 1), (3, 4), (2, 2), (3, 1)]))
