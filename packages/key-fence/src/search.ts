import { type Lengths, type View, views } from './decodings.ts';
import { checkedKey, FingerprintSearch, KeyFenceError } from './fingerprint.ts';

/** The keys of a search, given directly or by fingerprint. */
export interface Keys {
  /** Private keys of at least 8 characters each. */
  secrets?: readonly string[];
  /** Fingerprints, as returned by `fingerprint`. */
  fingerprints?: readonly string[];
}

/** A key that was found in a string or file. Does not contain the key itself. */
export interface Finding {
  /** Which key: `secrets[0]`, `fingerprints[1]`. */
  key: string;
  /** The encodings of the key, from the outermost to the innermost; empty when in plain text. */
  encodings: readonly string[];
}

/** Shorter keys would occur by chance in any large bundle. */
const shortestSecret = 8;

interface Wanted {
  name: string;
  length: number;
  foundIn: (text: string) => boolean;
}

/** A search for a set of keys, prepared once and used for any number of strings and files. */
export class KeySearch {
  readonly #wanted: readonly Wanted[];
  readonly #lengths: Lengths;

  /** @throws {KeyFenceError} when a key or a fingerprint is not usable. */
  constructor(keys: Keys) {
    const secrets = (keys.secrets ?? []).map((secret, index) => {
      const name = `secrets[${index}]`;
      return wantedSecret(name, checkedKey(secret, name));
    });
    const fingerprints = (keys.fingerprints ?? []).map((text, index) => {
      const name = `fingerprints[${index}]`;
      const search = new FingerprintSearch(text, name);
      return { name, length: search.length, foundIn: (view: string) => search.foundIn(view) };
    });
    this.#wanted = [...secrets, ...fingerprints];
    const lengths = this.#wanted.map(({ length }) => length);
    this.#lengths = { shortest: Math.min(...lengths), longest: Math.max(...lengths) };
  }

  get isEmpty(): boolean {
    return this.#wanted.length === 0;
  }

  /** Returns each key found in the content once, with the first encoding found. */
  find(content: string | Uint8Array): Finding[] {
    if (this.isEmpty) return [];
    const text = typeof content === 'string' ? content : latin1(content);
    const findings: Finding[] = [];
    let missing = this.#wanted;
    for (const view of views(text, this.#lengths)) {
      const found = missing.filter((wanted) => wanted.foundIn(view.text));
      findings.push(...found.map((wanted) => findingOf(wanted, view)));
      missing = missing.filter((wanted) => !found.includes(wanted));
      if (missing.length === 0) break;
    }
    return findings;
  }

  /** Returns the string, or a replacement if it contains a key. */
  withhold(text: string): string {
    return this.find(text).length > 0 ? withheld : text;
  }
}

/** Placeholder for a name that contains a key. */
const withheld = '[name withheld: it holds the key]';

/**
 * Searches one string or file content for keys, plain and in every common encoding: string escapes,
 * URI encoding, HTML entities, hex (also with separators), lists of numbers, base64 and base64url
 * at any offset, UTF-16, and up to three levels of nesting.
 * @throws {KeyFenceError} when a key or a fingerprint is not usable.
 */
export function scan(content: string | Uint8Array, keys: Keys): Finding[] {
  return new KeySearch(keys).find(content);
}

function wantedSecret(name: string, secret: string): Wanted {
  if (secret.length < shortestSecret) {
    throw new KeyFenceError(
      `${name} is shorter than ${shortestSecret} characters: it would be found by chance.`,
    );
  }
  return { name, length: secret.length, foundIn: (text) => text.includes(secret) };
}

function findingOf(wanted: Wanted, view: View): Finding {
  return { key: wanted.name, encodings: view.encodings };
}

/**
 * Decodes each byte as one character: keys are ASCII, and a UTF-8 decoder could replace invalid
 * bytes.
 */
function latin1(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
}
