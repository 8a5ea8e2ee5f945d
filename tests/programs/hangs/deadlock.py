"""Two threads that take two locks in opposite order, beside one that waits for a lock with a limit."""
import threading

stock, prices = threading.Lock(), threading.Lock()
both = threading.Barrier(2)


def sell():
    with stock:
        both.wait()
        with prices:
            print("sold")


def price():
    prices.acquire()
    both.wait()
    with stock: print("priced")  # On one line.
    prices.release()


def patient():
    while not stock.acquire(timeout=1000):
        pass


for work in (sell, price, patient):
    # The patient one comes when there is something to wait for.
    while work is patient and not (stock.locked() and prices.locked()):
        pass
    threading.Thread(target=work, name=work.__name__).start()
