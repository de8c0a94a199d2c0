/** A base64 text of every alignment: three-byte groups start at one of three offsets of a key. */
function base64Alignments(value: string): string[] {
  return [0, 1, 2].map((offset) => {
    const encoded = btoa('\0'.repeat(offset) + value);
    // Characters at the edges also carry bits of the neighbouring bytes: left out.
    return encoded.slice(
      Math.ceil((offset * 8) / 6),
      Math.floor(((offset + value.length) * 8) / 6),
    );
  });
}

/** The texts under which an ASCII secret may travel once escapes are undone. */
export function encodingsOf(value: string): string[] {
  const base64 = base64Alignments(value);
  const url = base64.map((text) => text.replaceAll('+', '-').replaceAll('/', '_'));
  return [...new Set([value, ...base64, ...url])];
}

/** Lower-case hexadecimal of an ASCII text. */
export function hexOf(value: string): string {
  return Array.from(value, (char) => char.charCodeAt(0).toString(16).padStart(2, '0')).join('');
}

/** What a text reads as, each form also in lower case. Made once, searched for every key. */
export type Readings = readonly { text: string; lowerCase: string }[];

/** A value that was encoded this often on its way (through a redirect, in JSON) is still found. */
const ROUNDS = 4;

/** A text, and what it reads as once percent-encoding and JSON's escapes are undone. */
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
 * One layer of `%41`, `\u0041` and `\/`, undone in one pass: this runs on whatever anybody sends,
 * and a replacement with a callback for each escape costs twenty times as much.
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

/** The number that `count` hexadecimal digits at `start` make, or -1. */
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
