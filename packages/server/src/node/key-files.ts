import type { KeyRing, KeySlot } from '../keys/key-ring.ts';
import { PrivateKey } from '../keys/private-key.ts';
import { isInQuotationMarks } from '@financing-checkout/kit/env';
import type { Logger } from '../platform/logger.ts';
import { watchFile, type WatchedFileOptions } from '@financing-checkout/kit/files';

export interface KeyFile {
  slot: KeySlot;
  path: string;
}

/**
 * Switches to a new private key as soon as its file differs from the key ring, even if the file was
 * replaced while the companion was starting. A file that is missing, empty or invalid is only
 * logged: the current key stays in use, so a mistake during a rotation does not cause an outage. An
 * empty file for the next key removes that key, unless it is in use.
 * @returns a function that stops watching
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
        // The file for the next key may exist before the key does, and is empty again after a
        // rotation.
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
