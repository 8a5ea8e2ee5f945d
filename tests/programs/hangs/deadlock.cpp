// Two threads that lock two mutexes in opposite order, and thirty that wait for one of them.
#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

static std::mutex accounts, journal, turn;
static std::condition_variable changed;
static int arrived = 0;

// Returns when both have locked their first.
static void meet() {
    std::unique_lock<std::mutex> lock(turn);
    arrived += 1;
    changed.notify_all();
    changed.wait(lock, [] { return arrived >= 2; });
}

static void transfer() {
    std::lock_guard<std::mutex> first(accounts);
    meet();
    std::lock_guard<std::mutex> second(journal);
}

static void report() {
    std::lock_guard<std::mutex> first(journal);
    meet();
    std::lock_guard<std::mutex> second(accounts);
}

static void customer() {
    {
        std::unique_lock<std::mutex> lock(turn);
        changed.wait(lock, [] { return arrived >= 2; });
    }
    std::lock_guard<std::mutex> mine(accounts);
}

int main() {
    std::vector<std::thread> threads;
    threads.emplace_back(transfer);
    threads.emplace_back(report);
    for (int number = 0; number < 30; number += 1)
        threads.emplace_back(customer);
    for (auto &thread : threads)
        thread.join();
}
