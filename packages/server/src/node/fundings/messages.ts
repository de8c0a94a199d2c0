import type { MessagePort } from 'node:worker_threads';
import type { Environment } from '@financing-checkout/contract';
import { LeaseLostError, type RunRow } from '../../fundings/books.ts';
import type { SyncSettings } from '../../fundings/settings.ts';
import { SyncBusyError, type SyncRequest, SyncStoppedError } from '../../fundings/sync.ts';
import {
  type FetchPage,
  type PageAnswer,
  type ReadWindow,
  WindowError,
  type WindowProof,
} from '../../fundings/window.ts';
import { describeError } from '../../observe/logger.ts';
import type { BooksPlace } from './place.ts';

/** What the thread of a sync is made for. */
export interface ThreadData {
  place: BooksPlace;
  environment: Environment;
  settings: SyncSettings;
  holder: string;
  task:
    | { kind: 'sync'; request: SyncRequest; reading: ReadingData }
    | { kind: 'reprice'; orderKeys?: readonly string[] };
}

/** What the thread that reads windows is made for. */
export interface ReadingData {
  settings: SyncSettings;
  /** Key of the hashes of names and e-mail addresses; without it they are dropped. */
  personalKey: string | undefined;
  /** To the main thread, which fetches pages; to be transferred. */
  pages: MessagePort;
}

/** From the main thread to that of the sync: the run ends between two days. */
export type ToThread = 'stop';

/** From the thread of the sync to the main thread. */
export type FromThread =
  | { kind: 'progress'; run: RunRow }
  | { kind: 'ended'; run: RunRow }
  | { kind: 'repriced'; count: number }
  | Failure;

/** From the thread that reads to the main thread. */
export type PageQuestion = Parameters<FetchPage>[0];
/** And back. The buffer of a page is that page's alone, and is handed over. */
export type PageReply = PageAnswer;

/** From the thread of the sync to the one that reads. */
export type WindowQuestion =
  { kind: 'read'; day: string } | { kind: 'compare'; before: WindowProof };
/** And back. */
export type WindowReply =
  { kind: 'window'; window: ReadWindow } | { kind: 'compared'; isAsBefore: boolean } | Failure;

/** An error, without what it may hold of the data. */
export interface Failure {
  kind: 'failed';
  name: string;
  frames: string[];
  /** Of errors of ours; that of a database may hold values. */
  message: string;
  /** Of a window that could not be read. */
  window?: Pick<WindowError, 'state' | 'reason'>;
}

export function failureOf(error: unknown): Failure {
  const { errorName = 'Error', frames = [] } = describeError(error);
  const isOurs =
    error instanceof SyncBusyError ||
    error instanceof SyncStoppedError ||
    error instanceof LeaseLostError;
  return {
    kind: 'failed',
    name: errorName,
    frames,
    message: isOurs ? error.message : '',
    ...(error instanceof WindowError
      ? { window: { state: error.state, reason: error.reason } }
      : {}),
  };
}

export function errorOf({ name, message, frames, window }: Failure): Error {
  if (window) return new WindowError(window.state, window.reason);
  if (name === 'SyncBusyError') return new SyncBusyError(message);
  if (name === 'LeaseLostError') return new LeaseLostError(message);
  if (name === 'SyncStoppedError') return new SyncStoppedError(message);
  const error = new Error(`The sync failed (${name}).`);
  error.name = name;
  error.stack = [name, ...frames].join('\n    at ');
  return error;
}
