import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { MessageChannel, type MessagePort, type Worker } from 'node:worker_threads';
import type { Environment } from '@financing-checkout/contract';
import { type Clock, systemClock } from '../../clock/clock.ts';
import type { StoreLocation } from '../../config/store.ts';
import type { RunRow } from '../../fundings/books.ts';
import type { FundingsSync, SyncRange } from '../../fundings/fundings-sync.ts';
import { patientPages } from '../../fundings/patient-pages.ts';
import { SyncStoppedError } from '../../fundings/day-work.ts';
import { SyncBusyError } from '../../fundings/sync.ts';
import { defaultSyncSettings, type SyncSettings } from '../../fundings/settings.ts';
import type { FetchPage } from '../../fundings/window.ts';
import { describeError, type Logger } from '../../observe/logger.ts';
import type { ServiceClient } from '../../service/client.ts';
import { startThread } from '../thread.ts';
import { answerTo } from '../asking.ts';
import {
  causeOf,
  type FromThread,
  type PageQuestion,
  type PageReply,
  type ReadingData,
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

/** The thread of one run, or of a part of it; it goes away with it, and with it the memory it took. */
interface ReadingThread {
  ended: Promise<unknown>;
  stop: () => void;
}

interface RunThread extends ReadingThread {
  began: Promise<RunRow>;
  ended: Promise<RunRow>;
}

interface HelpThread extends ReadingThread {
  ended: Promise<number>;
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
  let helping: HelpThread | undefined;

  /** A thread that reads from the service, by way of this one. */
  function openReading(
    taskOf: (reading: ReadingData) => ThreadData['task'],
    hear: (message: FromThread) => void,
    fail: (error: Error) => void,
  ): () => void {
    const { port1: pages, port2 } = new MessageChannel();
    const task = taskOf({ settings, personalKey: options.personalKey, pages: port2 });
    const stopping = new AbortController();
    passPagesOn(pages, patientPages(service, clock, stopping.signal));
    const thread = open({ ...shared, task }, hear, (error) => {
      pages.close();
      fail(error);
    });
    return () => {
      stopping.abort();
      thread.postMessage('stop' satisfies ToThread);
    };
  }

  function begin({ from, to }: SyncRange): RunThread {
    if (running) throw new SyncBusyError('Another sync is under way.');
    const request = { runId: `sync_${randomUUID()}`, from, to };
    const began = Promise.withResolvers<RunRow>();
    const ended = Promise.withResolvers<RunRow>();
    const fail = (error: Error) => {
      began.reject(error);
      ended.reject(error);
    };
    const stop = openReading(
      (reading) => ({ kind: 'sync', request, reading }),
      (message) => {
        if (message.kind === 'failed') fail(causeOf(message));
        if (message.kind === 'progress' || message.kind === 'ended') began.resolve(message.run);
        if (message.kind === 'ended') ended.resolve(message.run);
      },
      fail,
    );
    // Who asked for one of the two hears of it there.
    began.promise.catch(() => undefined);
    const thread: RunThread = { began: began.promise, ended: ended.promise, stop };
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

  function help(): HelpThread {
    const ended = Promise.withResolvers<number>();
    const stop = openReading(
      (reading) => ({ kind: 'help', reading }),
      (message) => {
        if (message.kind === 'failed') ended.reject(causeOf(message));
        if (message.kind === 'helped') ended.resolve(message.count);
      },
      ended.reject,
    );
    return { ended: ended.promise, stop };
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
    async help() {
      if (helping) return 0;
      helping = help();
      try {
        const count = await helping.ended;
        if (count > 0) logger.log('info', 'fundings-sync-helped', { count });
        return count;
      } catch (error) {
        if (!(error instanceof SyncStoppedError)) {
          logger.log('error', 'fundings-sync-helped', {
            outcome: 'failed',
            ...describeError(error),
          });
        }
        return 0;
      } finally {
        helping = undefined;
      }
    },
    reprice: (orderKeys) =>
      repriceInThread({
        ...shared,
        task: { kind: 'reprice', ...(orderKeys === undefined ? {} : { orderKeys }) },
      }),
    async stop() {
      const threads = [running, helping].filter((thread) => thread !== undefined);
      for (const { stop } of threads) stop();
      await Promise.allSettled(threads.map(({ ended }) => ended));
    },
  };
}

function placeOf(store: StoreLocation): BooksPlace {
  return store.kind === 'sqlite'
    ? { kind: 'sqlite', file: store.file }
    : { kind: 'postgres', url: store.url.reveal() };
}

/** Fetches the pages that a thread asks for: this one alone has the private key. */
function passPagesOn(pages: MessagePort, fetchPage: FetchPage): void {
  answerTo(
    pages,
    (query: PageQuestion): Promise<PageReply> =>
      fetchPage(query).catch(
        () => ({ kind: 'failed', reason: 'the request could not be made' }) as const,
      ),
    (page) => (page.kind === 'page' ? [page.bytes.buffer] : []),
  );
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
  const transfer = 'reading' in data.task ? [data.task.reading.pages] : [];
  const main = './fundings/sync-worker';
  return startThread({ main, name: 'fundings-sync', data, transfer, heap: HEAP, onMessage, onEnd });
}
