import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { MeasuredRequest } from '../http/requests.ts';

/** The response to `GET /metrics`, in the Prometheus format. */
export interface RenderedMetrics {
  contentType: string;
  text: string;
}

export interface ProgramMetricsOptions {
  listeners: readonly string[];
  /** Problem codes of the program's answers. */
  problemCodes: readonly string[];
  /** Name and help text of the gauge with the program's version. */
  build: { name: string; help: string; version: string };
}

/** Metrics of every program: its process, its version and its requests. */
export interface ProgramMetrics {
  /** Registry for the program's own metrics. */
  registry: Registry;
  /** Measures an answered request. */
  request: (request: MeasuredRequest) => void;
  render: () => Promise<RenderedMetrics>;
}

/**
 * Histogram buckets, from a response that only reads the store to a call that reaches its deadline.
 */
export const SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20];

/** Creates the metrics of a process. Label values are bounded: names, route templates, codes. */
export function createProgramMetrics(options: ProgramMetricsOptions): ProgramMetrics {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  const requests = new Histogram({
    name: 'financing_http_request_duration_seconds',
    help: 'Requests answered, by listener, method, route and status.',
    labelNames: ['listener', 'method', 'route', 'status'],
    buckets: SECONDS,
    registers,
  });
  const problems = new Counter({
    name: 'financing_http_problems_total',
    help: 'Requests answered with a problem, by its code.',
    labelNames: ['listener', 'code'],
    registers,
  });
  // Initialized to 0: a series that starts with its first problem would show no increase.
  for (const listener of options.listeners) {
    for (const code of options.problemCodes) problems.inc({ listener, code }, 0);
  }
  const { name, help, version } = options.build;
  new Gauge({ name, help, labelNames: ['version'], registers }).set({ version }, 1);
  return {
    registry,
    request({ listener, method, route = 'none', status, code, seconds }) {
      requests.observe({ listener, method, route, status }, seconds);
      if (code !== undefined) problems.inc({ listener, code });
    },
    render: async () => ({ contentType: registry.contentType, text: await registry.metrics() }),
  };
}

export interface MeasuredGauge {
  name: string;
  help: string;
  /** Returns the value at scrape time; undefined if there is none. */
  read: () => number | undefined | Promise<number | undefined>;
}

/**
 * Registers a gauge that is read at each scrape. It has no sample while there is no value or its
 * source is unavailable; metrics that do not need the source are unaffected.
 * @param isUnavailable whether an error means that the source is unavailable; other errors fail the
 * scrape
 */
export function measureGauge(
  registry: Registry,
  { name, help, read }: MeasuredGauge,
  isUnavailable: (error: unknown) => boolean,
): void {
  new Gauge({
    name,
    help,
    registers: [registry],
    async collect() {
      const value = await readUnless(isUnavailable, read);
      if (value === undefined) this.remove();
      else this.set(value);
    },
  });
}

export interface LabeledGauge {
  name: string;
  help: string;
  label: string;
  /** Returns a value for each label value at scrape time; undefined if there are none. */
  read: () => Values | undefined | Promise<Values | undefined>;
}
type Values = ReadonlyMap<string, number>;

/** Registers a gauge with one label, like {@link measureGauge}. */
export function measureLabeled(
  registry: Registry,
  { name, help, label, read }: LabeledGauge,
  isUnavailable: (error: unknown) => boolean,
): void {
  new Gauge({
    name,
    help,
    labelNames: [label],
    registers: [registry],
    async collect() {
      const values = await readUnless(isUnavailable, read);
      this.reset();
      for (const [value, amount] of values ?? []) this.set({ [label]: value }, amount);
    },
  });
}

/** Returns the samples of a state gauge: 1 for the current state and 0 for each other state. */
export function oneOf<State extends string>(
  states: readonly State[],
  current: State | undefined,
): ReadonlyMap<State, number> {
  return new Map(states.map((state) => [state, state === current ? 1 : 0]));
}

async function readUnless<Value>(
  isUnavailable: (error: unknown) => boolean,
  read: () => Value | Promise<Value>,
): Promise<Value | undefined> {
  try {
    return await read();
  } catch (error) {
    if (!isUnavailable(error)) throw error;
    return undefined;
  }
}
