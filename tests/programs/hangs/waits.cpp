// Merely waits, in the way that its argument says, with locks that are free and locks that are held by one who will go on.
#include <condition_variable>
#include <future>
#include <mutex>
#include <netinet/in.h>
#include <string>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>

static std::mutex held, guarded;
static std::condition_variable changed;
static std::promise<void> locked;

static void wait(const std::string &how) {
    std::lock_guard<std::mutex> lock(held);
    locked.set_value();
    if (how == "sleep") {
        sleep(1000);
    } else if (how == "accept") {
        int server = socket(AF_INET, SOCK_STREAM, 0);
        listen(server, 1);
        accept(server, nullptr, nullptr);
    } else if (how == "condition") {
        std::unique_lock<std::mutex> mine(guarded);
        changed.wait(mine, [] { return false; });
    } else {
        char byte;
        (void)!read(0, &byte, 1);
    }
}

static void behind() { std::lock_guard<std::mutex> lock(held); }

int main(int, char **arguments) {
    std::thread first(wait, std::string(arguments[1]));
    locked.get_future().wait();
    std::thread second(behind);
    first.join();
    second.join();
}
