/** A set of ASCII characters, as a lookup table by character code. */
export type Alphabet = Uint8Array;

/** @param characters the content of a regular expression's character class */
export function alphabetOf(characters: string): Alphabet {
  const member = new RegExp(`[${characters}]`);
  return Uint8Array.from({ length: 128 }, (_, code) =>
    member.test(String.fromCharCode(code)) ? 1 : 0,
  );
}

/**
 * Yields the maximal runs of an alphabet with at least `shortest` characters. Not a regular
 * expression, which would overflow the stack on long runs, such as inlined images of several
 * megabytes.
 */
export function* runs(text: string, alphabet: Alphabet, shortest: number): Generator<string> {
  let start = 0;
  while (start + shortest <= text.length) {
    // Scans backward from the far end: a character outside the alphabet rules out every run that
    // covers it.
    let last = start + shortest - 1;
    while (last >= start && alphabet[text.charCodeAt(last)] === 1) last -= 1;
    if (last >= start) {
      start = last + 1;
      continue;
    }
    let end = start + shortest;
    while (end < text.length && alphabet[text.charCodeAt(end)] === 1) end += 1;
    yield text.slice(start, end);
    start = end + 1;
  }
}
