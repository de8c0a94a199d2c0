import { type FSWatcher, readFileSync, statSync, watch } from 'node:fs';
import { basename, dirname } from 'node:path';

export interface WatchedFileOptions {
  /** Milliseconds between looks at the file when nothing tells of a change. @default 10_000 */
  pollMs?: number;
  /** Milliseconds a text must stay the same before it counts. @default 100 */
  settleMs?: number;
}

/** No secret is longer; a file that is was named by mistake. */
const MAX_BYTES = 16_384;

/**
 * Watches a small text file. `changed` hears of its text and of each new one, once it has settled,
 * and of `undefined` when the file cannot be read. The first is told as well: whoever has read the
 * file before may have read another one.
 *
 * It is the folder that is watched: a file that is replaced by renaming another one onto it, or by
 * swapping a link (as Kubernetes does with `..data`), is another file, and a watch of the old one
 * hears nothing. A link to another file, and file systems without events, are found by polling.
 *
 * @returns ends it
 */
export function watchFile(
  path: string,
  changed: (text: string | undefined) => void,
  options: WatchedFileOptions = {},
): () => void {
  const { pollMs = 10_000, settleMs = 100 } = options;
  let known: { text: string | undefined } | undefined;
  let settling: NodeJS.Timeout | undefined;

  // A file that is written in place is seen half written: two looks must find the same.
  function look(before?: { text: string | undefined }): void {
    const text = readSmallText(path);
    if (known !== undefined && text === known.text) return;
    if (before?.text === text && before !== undefined) {
      known = { text };
      changed(text);
      return;
    }
    clearTimeout(settling);
    settling = setTimeout(() => look({ text }), settleMs).unref();
  }

  let watcher: FSWatcher | undefined;
  try {
    const own = basename(path);
    watcher = watch(dirname(path), { persistent: false }, (_, name) => {
      // The store may be in the same folder, and write a thousand times a second.
      if (name === null || name === own || name.startsWith('..')) look();
    });
    // Such as the folder's removal: polling goes on.
    watcher.on('error', () => watcher?.close());
  } catch {
    // No events here (or no more watches allowed): polling alone.
  }
  look();
  const poll = setInterval(() => look(), pollMs).unref();
  return function stop() {
    watcher?.close();
    clearInterval(poll);
    clearTimeout(settling);
  };
}

function readSmallText(path: string): string | undefined {
  try {
    const status = statSync(path);
    // A pipe has no size either, and whoever reads one waits for somebody to write.
    const isSmall = status.isFile() && status.size <= MAX_BYTES;
    return isSmall ? readFileSync(path, 'utf8') : undefined;
  } catch {
    return undefined;
  }
}
