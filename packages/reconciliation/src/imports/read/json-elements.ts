import { LedgerImportError } from '../import-error.ts';

/** An element of a JSON array as text, with its first line number. */
export interface JsonElement {
  line: number;
  content: string;
}

/**
 * Yields the elements of a JSON array without loading the whole array. Tracks only strings and
 * brackets; the caller parses the elements.
 * @param onRest receives the text after the array in chunks. @default no text is allowed
 * @throws {LedgerImportError} if the text is not an array or is truncated
 */
export async function* jsonElements(
  text: AsyncIterable<string>,
  maxLength: number,
  onRest?: (text: string) => void,
): AsyncGenerator<JsonElement> {
  let line = 1;
  let state = 'before' as 'before' | 'element' | 'between' | 'after';
  let depth = 0;
  let inString = false;
  let escaped = false;
  let content = '';
  let begun = 1;
  let comma = false;

  for await (const chunk of text) {
    let from = 0;
    for (let at = 0; at < chunk.length; at++) {
      const character = chunk.charAt(at);
      if (character === '\n') line += 1;
      if (state === 'element') {
        if (inString) {
          if (escaped) escaped = false;
          else if (character === '\\') escaped = true;
          else if (character === '"') inString = false;
          continue;
        }
        if (character === '"') inString = true;
        else if (character === '{' || character === '[') depth += 1;
        else if (depth > 0 && (character === '}' || character === ']')) depth -= 1;
        else if (depth === 0 && (character === ',' || character === ']')) {
          yield { line: begun, content: content + chunk.slice(from, at) };
          content = '';
          comma = character === ',';
          state = comma ? 'between' : 'after';
        }
        continue;
      }
      if (state === 'after' && onRest) {
        onRest(chunk.slice(at));
        break;
      }
      if (/\s/.test(character) || character === '\uFEFF') continue;
      if (state === 'before' && character === '[') state = 'between';
      else if (state === 'between' && character === ']' && !comma) state = 'after';
      else if (state === 'between' && character !== ',') {
        state = 'element';
        begun = line;
        from = at;
        // Processes the character again, as the first one of an element.
        at -= 1;
      } else {
        throw new LedgerImportError(
          state === 'after'
            ? `Line ${line}: unexpected text after the JSON array.`
            : `Line ${line}: expected a JSON array of ledger lines.`,
        );
      }
    }
    if (state === 'element') content += chunk.slice(from);
    if (content.length > maxLength) {
      throw new LedgerImportError(`Line ${begun}: the element is too long.`);
    }
  }
  if (state !== 'after') {
    throw new LedgerImportError(`The JSON array is truncated in line ${line}.`);
  }
}
