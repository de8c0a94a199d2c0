import type { Charge, Transaction } from '../charges/charge.ts';
import type { Application } from '../checkout/application.ts';
import type { SandboxClock } from '../state/clock.ts';
import { failure, silent, type Log } from '../platform/log.ts';
import { deliver } from './delivery.ts';
import type { Destinations } from './destination.ts';
import { notificationsOf, postSaleNotificationsOf } from './event.ts';
import type { Notification, Outbox } from './outbox.ts';

/** Maximum interval at which the notifier checks the sandbox clock, in milliseconds. */
const LONGEST_SLEEP = 60_000;
/** Minimum interval: a test's sandbox clock may run slower than the machine's. */
const SHORTEST_SLEEP = 20;

/** Decisions that become due as time passes. */
interface Decisions {
  decideDue(): void;
  nextDecision(): number | undefined;
}

/**
 * Delivers notifications one at a time, each when it is due on the sandbox clock. While
 * that clock is frozen, delayed notifications and retries wait until the clock moves.
 */
export class Notifier {
  readonly destinations: Destinations;
  readonly outbox: Outbox;
  readonly #clock: SandboxClock;
  readonly #ending = new AbortController();
  #decisions: Decisions | undefined;
  #log: Log = silent;
  /** The delivery queue: concurrent deliveries would lose their order. */
  #work: Promise<void> = Promise.resolve();
  #awake = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(clock: SandboxClock, destinations: Destinations, outbox: Outbox) {
    this.destinations = destinations;
    this.outbox = outbox;
    this.#clock = clock;
    clock.onChange(() => this.wake());
  }

  /** Adds the notifications for an application's new state, within its database transaction. */
  applicationChanged(application: Application): void {
    this.#add(application, (names) => notificationsOf(application, names));
  }

  /** Adds the notifications for an accepted transaction, within its database transaction. */
  transactionAccepted(application: Application, charge: Charge, transaction: Transaction): void {
    const now = this.#clock.now();
    this.#add(application, (names) =>
      postSaleNotificationsOf(application, charge, transaction, now, names),
    );
  }

  #add({ environment }: Application, bodiesFor: Parameters<Outbox['add']>[1]): void {
    // Sent after the database transaction, so that a rollback sends no notification.
    if (this.outbox.add(environment, bodiesFor) > 0) queueMicrotask(() => this.wake());
  }

  /** Starts delivering, beginning with the notifications of an earlier run. */
  start(decisions: Decisions, log: Log): void {
    this.#decisions = decisions;
    this.#log = log;
    this.wake();
  }

  /** Stores due decisions and sends due notifications. */
  wake(): void {
    if (!this.#decisions || this.#ending.signal.aborted) return;
    clearTimeout(this.#timer);
    try {
      this.#decisions.decideDue();
    } catch (error) {
      this.#retryLater(error);
      return;
    }
    if (this.#awake) return;
    this.#awake = true;
    this.#work = this.#work
      .then(() => {
        this.#awake = false;
        return this.#sendDue();
      })
      .catch((error: unknown) => this.#retryLater(error));
  }

  /** Logs that the state cannot be written, for example on a full disk, and retries later. */
  #retryLater(error: unknown): void {
    const message = error instanceof Error ? failure(error) : 'failed';
    this.#log({ level: 'error', part: 'notifications', message });
    this.#sleepFor(LONGEST_SLEEP);
  }

  /** Sends all pending notifications once, due or not. @returns the number sent */
  async flush(): Promise<number> {
    let tried = 0;
    const work = this.#work.then(async () => {
      const waiting = this.outbox.waiting();
      tried = waiting.length;
      await this.#sendEach(waiting);
    });
    this.#work = work.catch(() => undefined);
    await work;
    this.wake();
    return tried;
  }

  /** Stops delivering; the next run retries an interrupted delivery. */
  async stop(): Promise<void> {
    clearTimeout(this.#timer);
    this.#ending.abort();
    await this.#work;
  }

  async #sendDue(): Promise<void> {
    while (!this.#ending.signal.aborted) {
      const next = this.outbox.due();
      if (!next) break;
      await this.#send(next);
    }
    this.#sleep();
  }

  async #sendEach(waiting: readonly Notification[]): Promise<void> {
    for (const notification of waiting) {
      let next: Notification | undefined = notification;
      for (let copy = notification.delivered; copy < notification.copies; copy += 1) {
        if (!next || this.#ending.signal.aborted) break;
        await this.#send(next);
        next = this.outbox.get(notification.id);
      }
    }
  }

  async #send(notification: Notification): Promise<void> {
    const destination = this.destinations.get(notification.environment);
    const { arrived, result } = destination
      ? await deliver(destination, notification.body, this.#ending.signal)
      : { arrived: false, result: 'no address' };
    // The notification may have arrived, but delivery is at least once, so it is sent again.
    if (this.#ending.signal.aborted) return;
    this.outbox.attempted(notification, arrived, result);
  }

  #sleep(): void {
    clearTimeout(this.#timer);
    if (this.#ending.signal.aborted || this.#clock.read().frozen) return;
    const times = [this.outbox.nextDue(), this.#decisions?.nextDecision()];
    const next = Math.min(...times.filter((time) => time !== undefined));
    if (next === Infinity) return;
    const wait = Math.max(next - this.#clock.now(), SHORTEST_SLEEP);
    this.#sleepFor(Math.min(wait, LONGEST_SLEEP));
  }

  #sleepFor(ms: number): void {
    clearTimeout(this.#timer);
    if (this.#ending.signal.aborted) return;
    this.#timer = setTimeout(() => this.wake(), ms);
    // The listeners keep the process alive, not this timer.
    this.#timer.unref();
  }
}
