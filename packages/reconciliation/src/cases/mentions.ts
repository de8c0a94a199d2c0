/** Separates the name of a token from the person for whom its owner acts. */
const FOR = ', for ';

const isWord = (character: string | undefined) =>
  character !== undefined && /[\p{L}\p{N}_]/u.test(character);

/**
 * Returns the people whom a note mentions as `@name`, in any letter case. If several names match, the
 * longest counts. An e-mail address is not a mention.
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

/**
 * Returns the people whom the notes of a case still mention after a person has acted on it.
 * @param actor name of the access token, followed by the person if the request names one
 */
export function mentionsAfter(
  mentions: readonly string[],
  { actor, added }: { actor: string; added: readonly string[] },
): string[] {
  const person = actor.split(FOR).at(-1);
  return [...new Set([...mentions.filter((name) => name !== person), ...added])];
}
