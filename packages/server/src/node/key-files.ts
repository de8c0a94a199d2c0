import type { KeyRing, KeySlot } from '../keys/key-ring.ts';
import { PrivateKey } from '../keys/private-key.ts';
import { isInQuotationMarks } from '../keys/quotation.ts';
import type { Logger } from '../platform/logger.ts';
import { watchFile, type WatchedFileOptions } from './watched-file.ts';

/** A private key that is read from a file, and the slot it belongs in. */
export interface KeyFile {
  slot: KeySlot;
  path: string;
}

/**
 * Puts a private key in use as soon as its file holds another one than the ring: also one that was
 * replaced while the companion started. A file that is gone, empty or holds no key changes nothing but
 * the log: the key in use stays, so a mistake during a rotation is no outage. The next key, where it is
 * not the one in use, goes when its file is empty.
 * @returns ends it
 */
export function watchKeyFiles(
  files: readonly KeyFile[],
  options: WatchedFileOptions & { keys: KeyRing; publicKey: string; logger: Logger },
): () => void {
  const { keys, publicKey, logger, ...watching } = options;
  const stops = files.map(({ slot, path }) => {
    return watchFile(
      path,
      (text) => {
        const key = keyOf(text, publicKey);
        if (key instanceof PrivateKey) {
          keys.replace(slot, key);
          return;
        }
        // The next key's file may be there before the key is, and is empty again after a rotation.
        if (key === 'empty' && slot === 1 && keys.removeNext()) return;
        logger.log('error', 'service-key-file-refused', { keySlot: slot, reason: key });
      },
      watching,
    );
  });
  return function stop() {
    for (const stop of stops) stop();
  };
}

type Refusal = 'unreadable' | 'empty' | 'in-quotation-marks' | 'not-a-key' | 'is-the-public-key';

function keyOf(text: string | undefined, publicKey: string): PrivateKey | Refusal {
  const value = text?.trim();
  if (value === undefined) return 'unreadable';
  if (value === '') return 'empty';
  if (isInQuotationMarks(value)) return 'in-quotation-marks';
  let key: PrivateKey;
  try {
    key = new PrivateKey(value);
  } catch (error) {
    if (error instanceof TypeError) return 'not-a-key';
    throw error;
  }
  return key.equals(publicKey) ? 'is-the-public-key' : key;
}
