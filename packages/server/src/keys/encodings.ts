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

const percent = /%([0-9a-fA-F]{2})/g;
const unicodeEscape = /\\u([0-9a-fA-F]{4})/g;
const fromHex = (_: string, hex: string) => String.fromCharCode(parseInt(hex, 16));

/**
 * A text and what it reads as once percent-encoding and JSON escapes are undone. Three rounds: a
 * value encoded twice on its way through a redirect is still found.
 */
export function decodingsOf(text: string): string[] {
  const found = [text];
  let current = text;
  for (let round = 0; round < 3; round++) {
    const next = current
      .replace(percent, fromHex)
      .replace(unicodeEscape, fromHex)
      .replaceAll('\\/', '/');
    if (next === current) break;
    found.push(next);
    current = next;
  }
  return found;
}
