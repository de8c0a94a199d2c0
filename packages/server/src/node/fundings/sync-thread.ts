import { randomUUID } from 'node:crypto';
import { extname } from 'node:path';
import { hostname } from 'node:os';
import { Worker } from 'node:worker_threads';
import type { Environment } from '@financing-checkout/contract';
import { type Clock, systemClock } from '../../clock/clock.ts';
import type { StoreLocation } from '../../config/store.ts';
import { LeaseLostError, type RunRow } from '../../fundings/books.ts';
import type { FundingsSync, SyncRange } from '../../fundings/fundings-sync.ts';
import { patientPages } from '../../fundings/patient-pages.ts';
import { SyncBusyError, SyncStoppedError } from '../../fundings/sync.ts';
import { defaultSyncSettings, type SyncSettings } from '../../fundings/settings.ts';
import { describeError, type Logger } from '../../observe/logger.ts';
import type { ServiceClient } from '../../service/client.ts';
import type { FromThread, ThreadData, ToThread } from './messages.ts';
import type { BooksPlace } from './place.ts';

export interface FundingsSyncOptions {
  environment: Environment;
  store: StoreLocation;
  service: ServiceClient;
  logger: Logger;
  settings?: Partial<SyncSettings>;
  /** Key of the hashes of names and e-mail addresses; without it they are dropped. */
  personalKey?: string | undefined;
  clock?: Clock;
}

/** Memory of a thread: pages come and go, and a day of many thousand records has to fit. */
const YOUNG_MB = 12;
const OLD_MB = 512;

/** The thread of one run; it goes away with it, and with it the memory it took. */
interface Thread {
  began: Promise<RunRow>;
  ended: Promise<RunRow>;
  stop: () => void;
}

/**
 * The sync of a companion on Node. A run is in a thread of its own with a connection of its own, so
 * that no checkout waits for it; the main thread fetches pages and hands them on unread.
 */
export function createFundingsSync(options: FundingsSyncOptions): FundingsSync {
  const { environment, logger, service, clock = systemClock } = options;
  const settings: SyncSettings = { ...defaultSyncSettings, ...options.settings };
  const place = placeOf(options.store);
  const holder = `${hostname()}:${process.pid}:${randomUUID()}`;
  const shared = { place, environment, settings, holder, personalKey: options.personalKey };
  let running: Thread | undefined;

  function begin({ from, to }: SyncRange): Thread {
    if (running) throw new SyncBusyError('Another sync is under way.');
    const request = { runId: `sync_${randomUUID()}`, from, to };
    const thread = startThread({ ...shared, task: { kind: 'sync', request } }, service, clock);
    running = thread;
    thread.ended
      .then(
        (run) =>
          logger.log(run.state === 'complete' ? 'info' : 'warn', 'fundings-sync', {
            outcome: run.state,
            reason: run.reason,
            count: run.rows,
            durationMs: (run.endedAt ?? run.startedAt) - run.startedAt,
          }),
        (error: unknown) => {
          if (error instanceof SyncBusyError || error instanceof SyncStoppedError) return;
          logger.log('error', 'fundings-sync', { outcome: 'failed', ...describeError(error) });
        },
      )
      .finally(() => {
        if (running === thread) running = undefined;
      });
    return thread;
  }

  return {
    environment,
    settings,
    start: async (range) => begin(range).began,
    run: async (range) => begin(range).ended,
    async runDue() {
      try {
        await begin({}).ended;
      } catch (error) {
        // Another replica does it; and what went wrong is in the log.
        if (!(error instanceof SyncBusyError)) return;
      }
    },
    reprice: (orderKeys) =>
      repriceInThread({
        ...shared,
        task: { kind: 'reprice', ...(orderKeys === undefined ? {} : { orderKeys }) },
      }),
    async stop() {
      running?.stop();
      await running?.ended.catch(() => undefined);
    },
  };
}

function placeOf(store: StoreLocation): BooksPlace {
  return store.kind === 'sqlite'
    ? { kind: 'sqlite', file: store.file }
    : { kind: 'postgres', url: store.url.reveal() };
}

function startThread(data: ThreadData, service: ServiceClient, clock: Clock): Thread {
  const worker = openThread(data);
  const stopping = new AbortController();
  const fetchPage = patientPages(service, clock, stopping.signal);
  const began = Promise.withResolvers<RunRow>();
  const ended = Promise.withResolvers<RunRow>();
  const fail = (error: Error) => {
    began.reject(error);
    ended.reject(error);
  };
  worker.on('message', (message: FromThread) => {
    if (message.kind === 'fetch') void answer(message.id, message.query);
    else if (message.kind === 'progress') began.resolve(message.run);
    else if (message.kind === 'ended') {
      began.resolve(message.run);
      ended.resolve(message.run);
    } else if (message.kind === 'failed') fail(errorOf(message));
  });
  worker.on('error', fail);
  worker.on('exit', () => fail(new Error('The thread of the sync ended before the sync did.')));
  // Who asked for one of the two hears of it there.
  began.promise.catch(() => undefined);
  ended.promise.catch(() => undefined);

  async function answer(id: number, query: Parameters<typeof fetchPage>[0]): Promise<void> {
    const page = await fetchPage(query).catch(
      () => ({ kind: 'failed', reason: 'the request could not be made' }) as const,
    );
    const message: ToThread = { kind: 'answer', id, answer: page };
    const transfer = page.kind === 'page' ? [page.bytes.buffer] : [];
    worker.postMessage(message, transfer);
  }

  return {
    began: began.promise,
    ended: ended.promise,
    stop() {
      stopping.abort();
      const message: ToThread = { kind: 'stop' };
      worker.postMessage(message);
    },
  };
}

function openThread(data: ThreadData): Worker {
  // Beside this module, whether it is built or run from its source.
  const file = new URL(`./sync-worker${extname(import.meta.url)}`, import.meta.url);
  return new Worker(file, {
    workerData: data,
    name: 'fundings-sync',
    resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MB, maxOldGenerationSizeMb: OLD_MB },
  });
}

function repriceInThread(data: ThreadData): Promise<number> {
  return new Promise((resolve, reject) => {
    const worker = openThread(data);
    worker.on('message', (message: FromThread) => {
      if (message.kind === 'repriced') resolve(message.count);
      else if (message.kind === 'failed') reject(errorOf(message));
    });
    worker.on('error', reject);
    worker.on('exit', () => reject(new Error('The thread ended before its work did.')));
  });
}

function errorOf({ name, message, frames }: Extract<FromThread, { kind: 'failed' }>): Error {
  if (name === 'SyncBusyError') return new SyncBusyError(message);
  if (name === 'LeaseLostError') return new LeaseLostError(message);
  if (name === 'SyncStoppedError') return new SyncStoppedError(message);
  const error = new Error(message === '' ? `The sync failed (${name}).` : message);
  error.name = name;
  error.stack = [name, ...frames].join('\n    at ');
  return error;
}
