import type { Environment } from '@financing-checkout/contract';
import type { RunRow } from '../../fundings/books.ts';
import type { SyncSettings } from '../../fundings/settings.ts';
import type { SyncRequest } from '../../fundings/sync.ts';
import type { FetchPage, PageAnswer } from '../../fundings/window.ts';
import type { BooksPlace } from './place.ts';

/** What the thread of a sync is made for. */
export interface ThreadData {
  place: BooksPlace;
  environment: Environment;
  settings: SyncSettings;
  holder: string;
  task: { kind: 'sync'; request: SyncRequest } | { kind: 'reprice'; orderKeys?: readonly string[] };
  /** Key of the hashes of names and e-mail addresses; without it they are dropped. */
  personalKey: string | undefined;
}

/** To the thread. The buffer of a page is that page's alone, and is handed over. */
export type ToThread = { kind: 'answer'; id: number; answer: PageAnswer } | { kind: 'stop' };

/** From the thread. */
export type FromThread =
  | { kind: 'fetch'; id: number; query: Parameters<FetchPage>[0] }
  | { kind: 'progress'; run: RunRow }
  | { kind: 'ended'; run: RunRow }
  | { kind: 'repriced'; count: number }
  | { kind: 'failed'; name: string; frames: string[]; message: string };
