import { type FSWatcher, readFileSync, statSync, watch } from 'node:fs';
import { basename, dirname } from 'node:path';

export interface WatchedFileOptions {
  /** Milliseconds between polls, for changes without an event. @default 10_000 */
  pollMs?: number;
  /** Milliseconds a text must stay the same before it counts. @default 100 */
  settleMs?: number;
  /** Maximum size of the file. A larger one counts as unreadable. @default 16_384 */
  maxBytes?: number;
}

/** No secret is longer; a longer file was named by mistake. */
const MAX_SECRET_BYTES = 16_384;

/**
 * Watches a small text file. Calls `changed` with its text and with each new text that has settled, and
 * with `undefined` when the file cannot be read. The first text is reported too: the caller may have read
 * an earlier one.
 *
 * The watch is on the folder: a file that is replaced by a rename, or by swapping a link (as Kubernetes does
 * with `..data`), is another file, and a watch of the old one gets no event. Polling finds changes behind a
 * link to another folder and on file systems without events.
 *
 * @returns a function that stops watching
 */
export function watchFile(
  path: string,
  changed: (text: string | undefined) => void,
  options: WatchedFileOptions = {},
): () => void {
  const { pollMs = 10_000, settleMs = 100, maxBytes = MAX_SECRET_BYTES } = options;
  let known: { text: string | undefined } | undefined;
  let settling: NodeJS.Timeout | undefined;

  // A file that is written in place can be read half written: two reads must find the same text.
  function check(before?: { text: string | undefined }): void {
    const text = readSmallText(path, maxBytes);
    if (known !== undefined && text === known.text) return;
    if (before?.text === text && before !== undefined) {
      known = { text };
      changed(text);
      return;
    }
    clearTimeout(settling);
    settling = setTimeout(() => check({ text }), settleMs).unref();
  }

  let watcher: FSWatcher | undefined;
  try {
    const own = basename(path);
    watcher = watch(dirname(path), { persistent: false }, (_, name) => {
      // The store may be in the same folder, and changes a thousand times a second.
      if (name === null || name === own || name.startsWith('..')) check();
    });
    // For example, the folder was removed: polling goes on.
    watcher.on('error', () => watcher?.close());
  } catch {
    // The file system has no events, or the limit of watches is reached: polling alone.
  }
  check();
  const poll = setInterval(() => check(), pollMs).unref();
  return function stop() {
    watcher?.close();
    clearInterval(poll);
    clearTimeout(settling);
  };
}

function readSmallText(path: string, maxBytes: number): string | undefined {
  try {
    const status = statSync(path);
    // A pipe has no size either, and reading one would block until another process writes.
    const isSmall = status.isFile() && status.size <= maxBytes;
    return isSmall ? readFileSync(path, 'utf8') : undefined;
  } catch {
    return undefined;
  }
}
