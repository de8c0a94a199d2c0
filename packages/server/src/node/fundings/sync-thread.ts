import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { MessageChannel, type MessagePort, type Worker } from 'node:worker_threads';
import type { Environment } from '@financing-checkout/contract';
import { type Clock, systemClock } from '../../clock/clock.ts';
import type { StoreLocation } from '../../config/store.ts';
import type { RunRow } from '../../fundings/books.ts';
import type { FundingsSync, SyncRange } from '../../fundings/fundings-sync.ts';
import { patientPages } from '../../fundings/patient-pages.ts';
import { SyncBusyError, SyncStoppedError } from '../../fundings/sync.ts';
import { defaultSyncSettings, type SyncSettings } from '../../fundings/settings.ts';
import { describeError, type Logger } from '../../observe/logger.ts';
import type { ServiceClient } from '../../service/client.ts';
import { startThread } from '../thread.ts';
import { answerTo } from '../asking.ts';
import {
  causeOf,
  type FromThread,
  type PageQuestion,
  type PageReply,
  type ThreadData,
  type ToThread,
} from './messages.ts';
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

/** Days come and go, and one of many thousand records has to fit. */
const HEAP = { maxYoungGenerationSizeMb: 12, maxOldGenerationSizeMb: 512 };

/** The thread of one run; it goes away with it, and with it the memory it took. */
interface RunThread {
  began: Promise<RunRow>;
  ended: Promise<RunRow>;
  stop: () => void;
}

/**
 * The sync of a companion on Node. A run is in two threads of its own, so that no checkout waits for
 * it: one reads, the other writes with a connection of its own. The main thread fetches pages and
 * hands them on unread.
 */
export function createFundingsSync(options: FundingsSyncOptions): FundingsSync {
  const { environment, logger, service, clock = systemClock } = options;
  const settings: SyncSettings = { ...defaultSyncSettings, ...options.settings };
  const place = placeOf(options.store);
  const holder = `${hostname()}:${process.pid}:${randomUUID()}`;
  const shared = { place, environment, settings, holder };
  let running: RunThread | undefined;

  function begin({ from, to }: SyncRange): RunThread {
    if (running) throw new SyncBusyError('Another sync is under way.');
    const request = { runId: `sync_${randomUUID()}`, from, to };
    const { port1: pages, port2 } = new MessageChannel();
    const reading = { settings, personalKey: options.personalKey, pages: port2 };
    const task = { kind: 'sync', request, reading } as const;
    const thread = runInThread({ ...shared, task }, pages, service, clock);
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

function runInThread(
  data: ThreadData,
  pages: MessagePort,
  service: ServiceClient,
  clock: Clock,
): RunThread {
  const stopping = new AbortController();
  const fetchPage = patientPages(service, clock, stopping.signal);
  answerTo(
    pages,
    (query: PageQuestion): Promise<PageReply> =>
      fetchPage(query).catch(
        () => ({ kind: 'failed', reason: 'the request could not be made' }) as const,
      ),
    (page) => (page.kind === 'page' ? [page.bytes.buffer] : []),
  );
  const began = Promise.withResolvers<RunRow>();
  const ended = Promise.withResolvers<RunRow>();
  const fail = (error: Error) => {
    began.reject(error);
    ended.reject(error);
  };
  const thread = open(
    data,
    (message) => {
      if (message.kind === 'failed') fail(causeOf(message));
      if (message.kind === 'progress' || message.kind === 'ended') began.resolve(message.run);
      if (message.kind === 'ended') ended.resolve(message.run);
    },
    (error) => {
      pages.close();
      fail(error);
    },
  );
  // Who asked for one of the two hears of it there.
  began.promise.catch(() => undefined);
  ended.promise.catch(() => undefined);

  return {
    began: began.promise,
    ended: ended.promise,
    stop() {
      stopping.abort();
      thread.postMessage('stop' satisfies ToThread);
    },
  };
}

function repriceInThread(data: ThreadData): Promise<number> {
  return new Promise((resolve, reject) => {
    open(
      data,
      (message) => {
        if (message.kind === 'repriced') resolve(message.count);
        else if (message.kind === 'failed') reject(causeOf(message));
      },
      reject,
    );
  });
}

function open(
  data: ThreadData,
  onMessage: (message: FromThread) => void,
  onEnd: (error: Error) => void,
): Worker {
  const transfer = data.task.kind === 'sync' ? [data.task.reading.pages] : [];
  const main = './fundings/sync-worker';
  return startThread({ main, name: 'fundings-sync', data, transfer, heap: HEAP, onMessage, onEnd });
}
