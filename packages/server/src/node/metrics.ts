import { type Environment, problemCodes } from '@financing-checkout/contract/storefront';
import {
  createProgramMetrics,
  measureGauge,
  type RenderedMetrics,
  SECONDS,
} from '@financing-checkout/kit/metrics';
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import type { KeyRing } from '../keys/key-ring.ts';
import { counterNames, type Counters } from '../platform/counters.ts';
import type { Meter } from '../platform/meter.ts';
import type { Store } from '../store/store.ts';
import { StoreUnavailableError } from '../platform/store-errors.ts';

/** Metrics in the Prometheus format. */
export interface Metrics {
  meter: Meter;
  /** Renders the response to `GET /metrics`. */
  render: () => Promise<RenderedMetrics>;
}

export interface MetricsOptions {
  keys: KeyRing;
  counters: Counters;
  store: Pick<Store, 'dueCheckouts' | 'listDeliveries' | 'unclearOperations'>;
  /**
   * Limits the gauges for overdue checkouts and undelivered messages to one environment. Operations
   * that need a manual decision are measured only if an environment is set. @default all
   */
  environment?: Environment;
  /** In milliseconds; see `Timing`. @default 180_000 */
  absenceGraceMs?: number;
  version: string;
}

/** Upper limit for counts that require reading the rows. */
const COUNTED = 1_000;
/**
 * Due work is normally done within a second; work that has been due for longer than this is
 * overdue.
 */
const OVERDUE_MS = 60_000;

/**
 * Creates metrics with bounded label values: route templates, the companion's own codes, key slots.
 * Metric names end with their unit.
 */
export function createMetrics(options: MetricsOptions): Metrics {
  const { registry, request, render } = createProgramMetrics({
    listeners: ['storefront', 'back-office'],
    problemCodes,
    build: {
      name: 'financing_build_info',
      help: '1, with the version of the companion.',
      version: options.version,
    },
  });
  const registers = [registry];
  const calls = new Histogram({
    name: 'financing_service_call_duration_seconds',
    help: 'Calls of the financing service, all tries together, by how they ended.',
    labelNames: ['method', 'route', 'outcome'],
    buckets: SECONDS,
    registers,
  });
  const failures = new Counter({
    name: 'financing_service_call_failures_total',
    help: 'Calls of the financing service that were not sent or whose outcome is unknown, by reason.',
    labelNames: ['route', 'reason'],
    registers,
  });
  // Computed at scrape time: updating a gauge on each call would slow down each call.
  const current = { in_progress: 0, waiting: 0 };
  const states = [
    ['in_progress', 'in progress'],
    ['waiting', 'that wait for one in progress to end'],
  ] as const;
  for (const [state, words] of states) {
    new Gauge({
      name: `financing_service_calls_${state}`,
      help: `Calls of the financing service ${words}.`,
      registers,
      collect() {
        this.set(current[state]);
      },
    });
  }
  const circuit = new Gauge({
    name: 'financing_service_circuit_state',
    help: '1 for the state of the circuit breaker: closed, open or half-open.',
    labelNames: ['state'],
    registers,
  });
  const setCircuit = (current: string) => {
    for (const state of ['closed', 'open', 'half-open']) {
      circuit.set({ state }, state === current ? 1 : 0);
    }
  };
  setCircuit('closed');
  registerKeys(registry, options.keys);
  registerCounters(registry, options.counters);
  registerStore(registry, options);

  return {
    meter: {
      request,
      call({ method, route, outcome, reason, seconds }) {
        calls.observe({ method, route, outcome }, seconds);
        if (reason !== undefined) failures.inc({ route, reason });
      },
      circuit: setCircuit,
      calls(inFlight, queued) {
        current.in_progress = inFlight;
        current.waiting = queued;
      },
    },
    render,
  };
}

/**
 * Shows the progress of a key rotation: which slot is in use, and when the service last accepted or
 * rejected its key.
 */
function registerKeys(registry: Registry, keys: KeyRing): void {
  const registers = [registry];
  const labelNames = ['slot'];
  const slotName = (slot: 0 | 1) => (slot === 0 ? 'current' : 'next');
  new Gauge({
    name: 'financing_service_key_in_use',
    help: '1 for the slot of the private key that calls begin with.',
    labelNames,
    registers,
    collect() {
      this.reset();
      for (const { slot, inUse } of keys.status())
        this.set({ slot: slotName(slot) }, inUse ? 1 : 0);
    },
  });
  const moments = [
    ['accepted', 'took', 'acceptedAt'],
    ['rejected', 'answered 401 to', 'rejectedAt'],
  ] as const;
  for (const [name, verb, field] of moments) {
    new Gauge({
      name: `financing_service_key_last_${name}_timestamp_seconds`,
      help: `When the financing service last ${verb} the private key of a slot, in Unix time.`,
      labelNames,
      registers,
      collect() {
        this.reset();
        for (const status of keys.status()) {
          const at = status[field];
          if (at !== undefined) this.set({ slot: slotName(status.slot) }, at / 1000);
        }
      },
    });
  }
}

function registerCounters(registry: Registry, counters: Counters): void {
  new Counter({
    name: 'financing_events_total',
    help: 'Events that an operator should know, by event; each is in the log too.',
    labelNames: ['event'],
    registers: [registry],
    collect() {
      this.reset();
      for (const event of counterNames) this.inc({ event }, counters.read(event));
    },
  });
}

/**
 * Registers gauges of the store, which all replicas share and therefore report identically. While
 * the store is unavailable, these gauges have no samples; metrics that do not need the store are
 * unaffected.
 */
function registerStore(
  registry: Registry,
  { store, environment, absenceGraceMs = 180_000 }: MetricsOptions,
): void {
  const isUnavailable = (error: unknown) => error instanceof StoreUnavailableError;
  const gauge = (name: string, help: string, read: () => Promise<number>) =>
    measureGauge(registry, { name, help, read }, isUnavailable);
  const deliveries = (state: 'dead' | 'waiting', limit: number) =>
    store.listDeliveries({ environment, state, after: undefined, limit });

  gauge(
    'financing_checkouts_overdue',
    `Checkouts whose next step is overdue by a minute, counted up to ${COUNTED}.`,
    async () => (await store.dueCheckouts(environment, Date.now() - OVERDUE_MS, COUNTED)).length,
  );
  gauge(
    'financing_webhook_deliveries_dead',
    `Messages to the shop's backend that are no longer sent, counted up to ${COUNTED}.`,
    async () => (await deliveries('dead', COUNTED)).length,
  );
  gauge(
    'financing_webhook_oldest_undelivered_seconds',
    'Age of the oldest message to the shop’s backend that is not delivered and still sent; 0 without one.',
    async () => {
      const [oldest] = await deliveries('waiting', 1);
      return Math.max(0, (Date.now() - (oldest?.createdAt ?? Infinity)) / 1000);
    },
  );
  if (environment === undefined) return;
  gauge(
    'financing_charge_operations_unclear',
    `Settles, refunds and voids whose outcome a person has to state, counted up to ${COUNTED}.`,
    async () => {
      const sentBy = Date.now() - absenceGraceMs;
      return (await store.unclearOperations({ environment, sentBy, limit: COUNTED })).length;
    },
  );
}
