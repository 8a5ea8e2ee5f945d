// The mean of what a sensor measured, kept in as few bytes as the device has.
#include <stdint.h>
#include <stdio.h>

#define SAMPLES 1000

typedef struct {
    uint16_t count;
    uint16_t sum;
} Mean;

static uint16_t measure(unsigned number) {
    return (uint16_t)(90 + number * 7 % 21);
}

static uint16_t add(Mean *mean, uint16_t sample) {
    mean->count += 1;
    mean->sum += sample;
    return mean->count;
}

static double value(const Mean *mean) {
    return (double)mean->sum / mean->count;
}

int main(void) {
    Mean mean = {0, 0};
    unsigned number = 0;
    while (number < SAMPLES) {
        number = add(&mean, measure(number));
    }
    printf("mean: %.1f\n", value(&mean));
    return 0;
}
