const isWord = (character: string | undefined) =>
  character !== undefined && /[\p{L}\p{N}_]/u.test(character);

/**
 * Returns the people whom a note mentions as `@name`, in any letter case. If several names match,
 * the longest one counts. An e-mail address is not a mention.
 */
export function mentionsIn(note: string, people: readonly string[]): string[] {
  const byLength = people.toSorted((one, other) => other.length - one.length);
  const found = new Set<string>();
  for (const { index } of note.matchAll(/@/g)) {
    if (isWord(note[index - 1])) continue;
    const rest = note.slice(index + 1);
    const person = byLength.find(
      (name) =>
        rest.slice(0, name.length).toLowerCase() === name.toLowerCase() &&
        !isWord(rest[name.length]),
    );
    if (person !== undefined) found.add(person);
  }
  return [...found];
}
