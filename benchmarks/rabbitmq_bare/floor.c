/* The floor under every client of RabbitMQ: what a small C program on librabbitmq needs.
 *
 *     floor URL QUEUE quorum|classic publish|consume|ping COUNT WINDOW
 *
 * publish: COUNT persistent messages, at most WINDOW of them unconfirmed.
 * consume: COUNT messages, at most WINDOW of them unacknowledged; those that arrived together are acked together.
 * ping:    COUNT single messages with rests between them, each taken from the queue on a second connection.
 *
 * It says what it took as one line of JSON: seconds and processor seconds, or for ping the milliseconds of each.
 */
#include <amqp.h>
#include <amqp_framing.h>
#include <amqp_tcp_socket.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

enum { CHANNEL = 1, BODY = 256, LARGEST_FRAME = 131072 };

static double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static double processor_seconds(void) {
    struct timespec used;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
    return (double)used.tv_sec + (double)used.tv_nsec * 1e-9;
}

static void fail(const char *what) {
    fprintf(stderr, "floor: %s failed\n", what);
    exit(1);
}

static void check(amqp_connection_state_t connection, const char *what) {
    if (amqp_get_rpc_reply(connection).reply_type != AMQP_RESPONSE_NORMAL) fail(what);
}

static amqp_connection_state_t connect_to(const char *url) {
    struct amqp_connection_info place;
    char *parts = strdup(url);
    if (amqp_parse_url(parts, &place) != AMQP_STATUS_OK) fail("reading the URL");
    amqp_connection_state_t connection = amqp_new_connection();
    amqp_socket_t *socket = amqp_tcp_socket_new(connection);
    if (socket == NULL || amqp_socket_open(socket, place.host, place.port) != AMQP_STATUS_OK) fail("connecting");
    amqp_rpc_reply_t reply = amqp_login(connection, place.vhost, 0, LARGEST_FRAME, 0, AMQP_SASL_METHOD_PLAIN,
                                        place.user, place.password);
    if (reply.reply_type != AMQP_RESPONSE_NORMAL) fail("logging in");
    amqp_channel_open(connection, CHANNEL);
    check(connection, "opening a channel");
    return connection;
}

static void declare(amqp_connection_state_t connection, const char *queue, const char *type) {
    amqp_table_entry_t entry = {.key = amqp_cstring_bytes("x-queue-type")};
    entry.value.kind = AMQP_FIELD_KIND_UTF8;
    entry.value.value.bytes = amqp_cstring_bytes(type);
    amqp_table_t arguments = {.num_entries = 1, .entries = &entry};
    amqp_queue_declare(connection, CHANNEL, amqp_cstring_bytes(queue), 0, 1, 0, 0, arguments);
    check(connection, "declaring the queue");
}

/* --- publish with confirms ------------------------------------------------------------------------------------ */

struct publisher {
    amqp_connection_state_t connection;
    amqp_bytes_t queue;
    amqp_basic_properties_t properties;
    amqp_bytes_t body;
    unsigned char *confirmed; /* one flag for each tag */
    uint64_t sent, settled, lowest;
};

static struct publisher open_publisher(const char *url, const char *queue, const char *type, long count) {
    static char body[BODY];
    memset(body, 'x', BODY);
    struct publisher to = {.connection = connect_to(url), .queue = amqp_cstring_bytes(queue), .lowest = 1};
    declare(to.connection, queue, type);
    amqp_confirm_select(to.connection, CHANNEL);
    check(to.connection, "asking for confirms");
    to.properties._flags = AMQP_BASIC_DELIVERY_MODE_FLAG | AMQP_BASIC_CONTENT_TYPE_FLAG;
    to.properties.delivery_mode = AMQP_DELIVERY_PERSISTENT;
    to.properties.content_type = amqp_cstring_bytes("application/json");
    to.body.len = BODY;
    to.body.bytes = body;
    to.confirmed = calloc((size_t)count + 2, 1);
    if (to.confirmed == NULL) fail("taking memory");
    return to;
}

static void publish(struct publisher *to) {
    if (amqp_basic_publish(to->connection, CHANNEL, amqp_empty_bytes, to->queue, 1, 0, &to->properties, to->body))
        fail("publishing");
    to->sent++;
}

static void settle(struct publisher *to, uint64_t tag) {
    if (!to->confirmed[tag]) {
        to->confirmed[tag] = 1;
        to->settled++;
    }
}

static void await_confirm(struct publisher *to) {
    amqp_frame_t frame;
    amqp_maybe_release_buffers(to->connection);
    if (amqp_simple_wait_frame(to->connection, &frame) != AMQP_STATUS_OK) fail("waiting for a confirm");
    if (frame.frame_type != AMQP_FRAME_METHOD) return;
    if (frame.payload.method.id != AMQP_BASIC_ACK_METHOD) fail("confirming");
    amqp_basic_ack_t *ack = frame.payload.method.decoded;
    if (!ack->multiple) {
        settle(to, ack->delivery_tag);
        return;
    }
    while (to->lowest <= ack->delivery_tag) settle(to, to->lowest++);
}

/* Let the kernel gather what is written into full packets, or send at once what it has gathered. */
static void gather(struct publisher *to, int on) {
    if (setsockopt(amqp_get_sockfd(to->connection), IPPROTO_TCP, TCP_CORK, &on, sizeof on)) fail("gathering");
}

static void publish_all(struct publisher *to, long count, long window) {
    gather(to, 1);
    while (to->sent < (uint64_t)count) {
        if (to->sent - to->settled >= (uint64_t)window) {
            gather(to, 0);
            while (to->sent - to->settled > (uint64_t)window / 2) await_confirm(to);
            gather(to, 1);
        }
        publish(to);
    }
    gather(to, 0);
    while (to->settled < to->sent) await_confirm(to);
}

/* --- consume and acknowledge ---------------------------------------------------------------------------------- */

static amqp_connection_state_t open_consumer(const char *url, const char *queue, const char *type, long window) {
    amqp_connection_state_t connection = connect_to(url);
    declare(connection, queue, type);
    amqp_basic_qos(connection, CHANNEL, 0, (uint16_t)window, 0);
    check(connection, "asking for a prefetch");
    return connection;
}

static void start_consuming(amqp_connection_state_t connection, const char *queue) {
    amqp_basic_consume(connection, CHANNEL, amqp_cstring_bytes(queue), amqp_empty_bytes, 0, 0, 0, amqp_empty_table);
    check(connection, "consuming");
}

static uint64_t take_one(amqp_connection_state_t connection) {
    amqp_envelope_t delivery;
    amqp_maybe_release_buffers(connection);
    if (amqp_consume_message(connection, &delivery, NULL, 0).reply_type != AMQP_RESPONSE_NORMAL) fail("taking a message");
    uint64_t tag = delivery.delivery_tag;
    amqp_destroy_envelope(&delivery);
    return tag;
}

static void consume_all(amqp_connection_state_t connection, long count, long window) {
    long unacked = 0;
    for (long taken = 1; taken <= count; taken++) {
        uint64_t tag = take_one(connection);
        unacked++;
        int more = amqp_frames_enqueued(connection) || amqp_data_in_buffer(connection);
        if (!more || unacked >= window / 2 || taken == count) {
            if (amqp_basic_ack(connection, CHANNEL, tag, 1)) fail("acking");
            unacked = 0;
        }
    }
}

/* --- what is measured ----------------------------------------------------------------------------------------- */

static void tell(double began, double used) {
    double took = seconds() - began;
    printf("{\"seconds\": %.6f, \"cpu_seconds\": %.6f}\n", took, processor_seconds() - used);
}

static void ping(struct publisher *to, amqp_connection_state_t from, long count) {
    printf("{\"latencies\": [");
    for (long number = 1; number <= count; number++) {
        double began = seconds();
        publish(to);
        uint64_t tag = take_one(from);
        printf("%s%.4f", number > 1 ? ", " : "", (seconds() - began) * 1e3);
        amqp_basic_ack(from, CHANNEL, tag, 0);
        while (to->settled < to->sent) await_confirm(to);
        struct timespec rest = {0, 10000000 + rand() % 20000000};
        nanosleep(&rest, NULL);
    }
    printf("]}\n");
}

static void hang_up(amqp_connection_state_t connection) {
    amqp_channel_close(connection, CHANNEL, AMQP_REPLY_SUCCESS);
    amqp_connection_close(connection, AMQP_REPLY_SUCCESS);
    amqp_destroy_connection(connection);
}

int main(int given, char **words) {
    if (given != 7) fail("reading the command line");
    const char *url = words[1], *queue = words[2], *type = words[3], *step = words[4];
    long count = atol(words[5]), window = atol(words[6]);
    if (!strcmp(step, "publish")) {
        struct publisher to = open_publisher(url, queue, type, count);
        double began = seconds(), used = processor_seconds();
        publish_all(&to, count, window);
        tell(began, used);
        hang_up(to.connection);
    } else if (!strcmp(step, "consume")) {
        amqp_connection_state_t from = open_consumer(url, queue, type, window);
        double began = seconds(), used = processor_seconds();
        start_consuming(from, queue);
        consume_all(from, count, window);
        tell(began, used);
        hang_up(from);
    } else if (!strcmp(step, "ping")) {
        struct publisher to = open_publisher(url, queue, type, count);
        amqp_connection_state_t from = open_consumer(url, queue, type, window);
        start_consuming(from, queue);
        ping(&to, from, count);
        hang_up(from);
        hang_up(to.connection);
    } else {
        fail("finding that step");
    }
    return 0;
}
