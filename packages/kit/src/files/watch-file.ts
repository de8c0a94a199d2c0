import { type FSWatcher, readFileSync, statSync, watch } from 'node:fs';
import { basename, dirname } from 'node:path';

export interface WatchedFileOptions {
  /** Polling interval in milliseconds, for changes without a file system event. @default 10_000 */
  pollMs?: number;
  /** How long the text must stay unchanged before it is used, in milliseconds. @default 100 */
  settleMs?: number;
  /** Maximum size of the file. A larger one counts as unreadable. @default 16_384 */
  maxBytes?: number;
}

/** No secret is longer; a longer file was configured by mistake. */
const MAX_SECRET_BYTES = 16_384;

/**
 * Watches a small text file. Calls `changed` with the file's text and with each new text once it is
 * stable, and with `undefined` when the file cannot be read. The first text is reported too,
 * because the caller may have read an earlier version.
 *
 * Watches the folder: a file that is replaced by a rename or by swapping a symbolic link (as
 * Kubernetes does with `..data`) is another file, and a watch on the old file gets no event.
 * Polling detects changes behind a link to another folder and on file systems without events.
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

  // A file that is written in place may be read while incomplete, so two reads must return the same
  // text.
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
      // The store may be in the same folder and change a thousand times per second.
      if (name === null || name === own || name.startsWith('..')) check();
    });
    // For example, the folder was removed; polling continues.
    watcher.on('error', () => watcher?.close());
  } catch {
    // The file system has no events, or the watch limit is reached: rely on polling alone.
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
    // Excludes pipes: a pipe has size 0, and reading one would block until another process writes.
    const isSmall = status.isFile() && status.size <= maxBytes;
    return isSmall ? readFileSync(path, 'utf8') : undefined;
  } catch {
    return undefined;
  }
}
