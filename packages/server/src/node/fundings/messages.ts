import type { MessagePort } from 'node:worker_threads';
import type { Environment } from '@financing-checkout/contract';
import { LeaseLostError, type RunRow } from '../../fundings/books.ts';
import type { SyncSettings } from '../../fundings/settings.ts';
import { SyncStoppedError } from '../../fundings/day-work.ts';
import { SyncBusyError, type SyncRequest } from '../../fundings/sync.ts';
import {
  type FetchPage,
  type PageAnswer,
  WindowError,
  type WindowProof,
} from '../../fundings/window.ts';
import { StoreUnavailableError } from '../../store/unavailable.ts';
import { errorOf, type OwnErrors, tellError, type ToldError } from '../thread.ts';
import type { PackedWindow } from './packed-window.ts';
import type { BooksPlace } from './place.ts';

/** What the thread of a sync is made for. */
export interface ThreadData {
  place: BooksPlace;
  environment: Environment;
  settings: SyncSettings;
  holder: string;
  task:
    | { kind: 'sync'; request: SyncRequest; reading: ReadingData }
    | { kind: 'help'; reading: ReadingData }
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
  | { kind: 'helped'; count: number }
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
  { kind: 'window'; window: PackedWindow } | { kind: 'compared'; isAsBefore: boolean } | Failure;

/** What went wrong, without what it may hold of the data. */
export interface Failure {
  kind: 'failed';
  error: ToldError;
  /** Of a window that could not be read. */
  window?: Pick<WindowError, 'state' | 'reason'>;
}

const ownErrors: OwnErrors = {
  SyncBusyError,
  SyncStoppedError,
  LeaseLostError,
  StoreUnavailableError,
};

export function failureOf(error: unknown): Failure {
  const failure: Failure = { kind: 'failed', error: tellError(error, ownErrors) };
  if (!(error instanceof WindowError)) return failure;
  return { ...failure, window: { state: error.state, reason: error.reason } };
}

export function causeOf({ error, window }: Failure): Error {
  return window ? new WindowError(window.state, window.reason) : errorOf(error, ownErrors);
}
