/** A key that occurs more than once in its object. */
export interface RepeatedKey {
  path: (string | number)[];
  /** Line of the second occurrence, from 1. */
  line: number;
}

/** Matches strings, with the following colon if they are keys, and structural characters. */
const tokens = /("[^"\\]*(?:\\.[^"\\]*)*")(\s*:)?|[{}[\],]/g;

/**
 * Finds keys that a JSON text repeats within one object. RFC 8259 4 does not define which one
 * counts, and JSON.parse silently takes the last one. Whitespace around a key makes no difference.
 * @param json a text that JSON.parse accepts
 */
export function repeatedKeys(json: string): RepeatedKey[] {
  const repeated: RepeatedKey[] = [];
  const open: { at: string | number; keys: Set<string> }[] = [];
  for (const { 0: token, 1: text, 2: colon, index } of json.matchAll(tokens)) {
    const inside = open.at(-1);
    if (token === '{') open.push({ at: '', keys: new Set() });
    else if (token === '[') open.push({ at: 0, keys: new Set() });
    else if (token === '}' || token === ']') open.pop();
    else if (inside === undefined) continue;
    else if (token === ',' && typeof inside.at === 'number') inside.at += 1;
    else if (text !== undefined && colon !== undefined) {
      inside.at = (JSON.parse(text) as string).trim();
      if (inside.keys.has(inside.at)) {
        const line = json.slice(0, index).split('\n').length;
        repeated.push({ path: open.map(({ at }) => at), line });
      }
      inside.keys.add(inside.at);
    }
  }
  return repeated;
}
