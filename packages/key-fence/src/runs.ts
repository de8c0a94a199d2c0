/** A set of ASCII characters, as a table by character code. */
export type Alphabet = Uint8Array;

/** @param characters What goes between the brackets of a regular expression. */
export function alphabetOf(characters: string): Alphabet {
  const member = new RegExp(`[${characters}]`);
  return Uint8Array.from({ length: 128 }, (_, code) =>
    member.test(String.fromCharCode(code)) ? 1 : 0,
  );
}

/**
 * The maximal runs of an alphabet that have a length of `shortest` or more. By hand, because a
 * regular expression runs out of stack on the runs that this is for: pictures of some megabytes.
 */
export function* runs(text: string, alphabet: Alphabet, shortest: number): Generator<string> {
  let start = 0;
  while (start + shortest <= text.length) {
    // From the far end: a character that is not in it rules out every run that would cover it.
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
