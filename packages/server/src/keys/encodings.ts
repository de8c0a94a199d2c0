/**
 * Returns the base64 text for each alignment: a group of three bytes can start at one of three
 * offsets.
 */
function base64Alignments(value: string): string[] {
  return [0, 1, 2].map((offset) => {
    const encoded = btoa('\0'.repeat(offset) + value);
    // Characters at the edges also encode bits of the neighboring bytes, so they are left out.
    return encoded.slice(
      Math.ceil((offset * 8) / 6),
      Math.floor(((offset + value.length) * 8) / 6),
    );
  });
}

/** Returns the forms in which an ASCII secret may appear once escapes are decoded. */
export function encodingsOf(value: string): string[] {
  const base64 = base64Alignments(value);
  const url = base64.map((text) => text.replaceAll('+', '-').replaceAll('/', '_'));
  return [...new Set([value, ...base64, ...url])];
}

export function hexOf(value: string): string {
  return Array.from(value, (char) => char.charCodeAt(0).toString(16).padStart(2, '0')).join('');
}

/** The decoded forms of a string, each also in lowercase. Computed once and searched for each key. */
export type Readings = readonly { text: string; lowerCase: string }[];

/**
 * Maximum number of nested encodings in which a key is detected, such as a redirect URL in JSON.
 */
const ROUNDS = 4;

/** Returns a string and its forms with percent-encoding and JSON escapes decoded. */
export function readingsOf(text: string): Readings {
  const found = [{ text, lowerCase: text.toLowerCase() }];
  let current = text;
  for (let round = 0; round < ROUNDS; round++) {
    const next = withoutEscapes(current);
    if (next === current) break;
    found.push({ text: next, lowerCase: next.toLowerCase() });
    current = next;
  }
  return found;
}

const PERCENT = 0x25;
const BACKSLASH = 0x5c;
const SLASH = 0x2f;
const LOWER_U = 0x75;
const MAX_CODES_AT_ONCE = 8_192;

/**
 * Decodes one layer of `%41`, `\u0041` and `\/` in one pass. This runs on untrusted input, and a
 * `replace` with a callback per escape is twenty times as slow.
 */
function withoutEscapes(text: string): string {
  if (!text.includes('%') && !text.includes('\\')) return text;
  const codes = new Uint16Array(text.length);
  let length = 0;
  for (let index = 0; index < text.length; index++) {
    let code = text.charCodeAt(index);
    if (code === PERCENT) {
      const value = hexNumber(text, index + 1, 2);
      if (value >= 0) {
        code = value;
        index += 2;
      }
    } else if (code === BACKSLASH) {
      const next = text.charCodeAt(index + 1);
      const value = next === LOWER_U ? hexNumber(text, index + 2, 4) : -1;
      if (value >= 0) {
        code = value;
        index += 5;
      } else if (next === SLASH) {
        code = SLASH;
        index += 1;
      }
    }
    codes[length++] = code;
  }
  let result = '';
  for (let start = 0; start < length; start += MAX_CODES_AT_ONCE) {
    const end = Math.min(length, start + MAX_CODES_AT_ONCE);
    result += String.fromCharCode(...codes.subarray(start, end));
  }
  return result;
}

/** Returns the value of `count` hexadecimal digits at `start`, or -1. */
function hexNumber(text: string, start: number, count: number): number {
  let value = 0;
  for (let index = start; index < start + count; index++) {
    const code = text.charCodeAt(index);
    const letter = code | 0x20;
    let digit: number;
    if (code >= 0x30 && code <= 0x39) digit = code - 0x30;
    else if (letter >= 0x61 && letter <= 0x66) digit = letter - 0x57;
    else return -1;
    value = value * 16 + digit;
  }
  return value;
}
