import { type Lengths, type View, views } from './decodings.ts';
import { checkedKey, FingerprintSearch, KeyFenceError } from './fingerprint.ts';

/** The keys of a search, given directly or by fingerprint. */
export interface Keys {
  /** Private keys of at least 8 characters each. */
  secrets?: readonly string[];
  /** Results of `fingerprint`. */
  fingerprints?: readonly string[];
}

/** One key in one content. It does not contain the key. */
export interface Finding {
  /** Which key: `secrets[0]`, `fingerprints[1]`. */
  key: string;
  /** Its encodings there, from the outside in; empty when plain. */
  encodings: readonly string[];
}

/** Shorter keys would occur by chance in any larger bundle. */
const shortestSecret = 8;

interface Wanted {
  name: string;
  length: number;
  foundIn: (text: string) => boolean;
}

/** A search for a set of keys, prepared once for any number of contents. */
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

  /** Whether there is nothing to look for. */
  get isEmpty(): boolean {
    return this.#wanted.length === 0;
  }

  /** Returns each key in the content once, with the first encoding found. */
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

  /** Returns the text, or a replacement if it contains a key. */
  withhold(text: string): string {
    return this.find(text).length > 0 ? withheld : text;
  }
}

/** Replaces a name that contains a key. */
const withheld = '[name withheld: it holds the key]';

/**
 * Searches one text or file content for keys, plain and in every common encoding: string escapes, URI
 * encoding, HTML entities, hex (also with separators), lists of numbers, base64 and base64url at any
 * offset, UTF-16, and up to three of them nested.
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

/** Decodes one character per byte: keys are ASCII, and a decoder could replace invalid bytes. */
function latin1(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
}
