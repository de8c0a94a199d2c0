import { watchFile, type WatchedFileOptions } from '../files/watch-file.ts';
import { reasonsOf } from './errors.ts';
import { type PostgresAddress, PostgresUrlError } from './postgres-url.ts';

/** Source of new addresses for a database while a program runs. */
export interface NextAddress {
  /** Calls `changed` with each new address. @returns a function that stops watching */
  watch(changed: (address: PostgresAddress) => void): () => void;
  /** Called when new connections use an address, or with the error of the first failed attempt. */
  onTried(error?: unknown): void;
}

/** Outcome of a new URL in a store's file. No reason contains a value of the URL. */
export type StoreUrlEvent =
  | { event: 'store-url-replaced' }
  | { event: 'store-url-refused' | 'store-url-unusable'; reason: string };

export interface StoreUrlFile extends WatchedFileOptions {
  path: string;
  /** The text that the program read at startup. */
  text: string;
  readUrl: (text: string) => PostgresAddress;
  report: (event: StoreUrlEvent) => void;
}

/** Watches the file with a database's URL, so that a new password needs no restart. */
export function watchStoreUrl({
  path,
  text: first,
  readUrl,
  report,
  ...watching
}: StoreUrlFile): NextAddress {
  return {
    watch(changed) {
      let known = first;
      return watchFile(
        path,
        (text) => {
          const url = text?.trim() ?? '';
          // The file is empty while it is being written.
          if (url === known || url === '') return;
          known = url;
          try {
            changed(readUrl(url));
          } catch (error) {
            if (!(error instanceof PostgresUrlError)) throw error;
            report({ event: 'store-url-refused', reason: error.message });
          }
        },
        watching,
      );
    },
    onTried(error) {
      report(
        error === undefined
          ? { event: 'store-url-replaced' }
          : { event: 'store-url-unusable', reason: reasonsOf(error).join(': ') },
      );
    },
  };
}
