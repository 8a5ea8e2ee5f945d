"""Counts the tags of each month's articles."""

from itertools import chain

MONTHS = {
    "May": [["rust", "terminal"], ["rust"], ["python"]],
    "June": [["python", "asyncio"], ["python"]],
    "July": [["rust", "asyncio"]],
}


def count_tags(articles, counts={}):
    words = chain.from_iterable(articles)
    for word in words:
        counts[word] = counts.get(word, 0) + 1
    return counts


def most_used(articles):
    counts = count_tags(articles)
    return max(sorted(counts), key=counts.get)


def summary(months):
    return ", ".join(f"{month}: {most_used(articles)}" for month, articles in months.items())


print(summary(MONTHS))
