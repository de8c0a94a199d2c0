import type { Hono } from 'hono';
import type { Configuration } from './config/config.ts';
import { Engine, type EngineOptions, type StartOptions } from './engine/engine.ts';
import { createApp } from './http/app.ts';
import type { Metrics } from './metrics/metrics.ts';
import type { Env } from './http/context.ts';
import { version } from './version.ts';

/** The reconciliation program: an HTTP API and background work. */
export interface Program {
  /**
   * Responds with `not-ready` until {@link Program.start}. Commands call `app.request` in-process.
   */
  readonly app: Hono<Env>;
  readonly engine: Engine;
  /** See {@link Engine.start}. */
  start(options: StartOptions): Promise<void>;
  /** Stops all work, keeping the results so far. */
  stop(): Promise<void>;
}

export interface ProgramOptions extends EngineOptions {
  /** Measures the program, and answers `GET /metrics`. @default none */
  metrics?: Metrics;
}

/** Creates the program, which opens nothing until {@link Program.start}. */
export function createProgram(config: Configuration, options: ProgramOptions = {}): Program {
  const { metrics, ...others } = options;
  const engine = new Engine(config, { meter: metrics?.meter, ...others });
  metrics?.observe(engine);
  return {
    app: createApp(engine, version, metrics?.render),
    engine,
    start: (how) => engine.start(how),
    stop: () => engine.stop(),
  };
}
