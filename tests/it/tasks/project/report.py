import sys


def total_of(numbers):
    total = 0
    for number in numbers:
        total += number
    return total


if __name__ == "__main__":
    with open(sys.argv[1]) as table:
        rows = [line.strip().split(",") for line in table]
    print("total:", total_of(int(row[1]) for row in rows[1:]))
