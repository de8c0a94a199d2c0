import { readingsOf } from './encodings.ts';
import { KeyRing } from './key-ring.ts';
import type { PrivateKey } from './private-key.ts';

/** Whether a text carries a private key, in any encoding it may travel in. */
export type TripWire = (text: string) => boolean;

/** Made of the same keys as the service client; it can find them, not read them. */
export function createTripWire(keys: KeyRing | readonly PrivateKey[]): TripWire {
  return function carriesPrivateKey(text) {
    if (keys instanceof KeyRing) return keys.isIn(text);
    const readings = readingsOf(text);
    return keys.some((key) => key.isIn(readings));
  };
}
