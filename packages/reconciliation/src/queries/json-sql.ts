import { sqlText } from '../platform/temporary-files.ts';

/**
 * A member of a JSON object: its name, and SQL for its value as JSON text. An `optional` member is
 * left out where the SQL is null; others are never null.
 */
export interface JsonMember {
  name: string;
  sql: string;
  optional?: true;
}

/** Returns SQL for a JSON object, written as `JSON.stringify` writes it. The first member is not optional. */
export function jsonObject(members: readonly JsonMember[]): string {
  // `concat` skips nulls, and does not copy the text once for each part.
  const parts = members.flatMap(({ name, sql, optional }, index) => {
    const key = sqlText(`${index === 0 ? '{' : ','}${JSON.stringify(name)}:`);
    return optional ? [`${key} || (${sql})`] : [key, sql];
  });
  return `concat(${parts.join(', ')}, '}')`;
}

const escaped = Array.from({ length: 0x20 }, (_, code) => String.fromCharCode(code));

/** Returns SQL for a text as a JSON string, written as `JSON.stringify` writes it; null for null. */
export function jsonText(sql: string): string {
  const escape = (text: string, character: string) =>
    `replace(${text}, chr(${character.charCodeAt(0)}), ${sqlText(JSON.stringify(character).slice(1, -1))})`;
  // The backslash comes first, because it escapes the others.
  const value = ['\\', '"', ...escaped].reduce(escape, sql);
  return `'"' || case when regexp_matches(${sql}, '["\\\\\\x00-\\x1f]') then ${value} else ${sql} end || '"'`;
}

/** Returns SQL for a text that needs no escapes as a JSON string; null for null. */
export function jsonWord(sql: string): string {
  return `'"' || ${sql} || '"'`;
}

/** Returns SQL for milliseconds since 1970 as a JSON string, written as `isoTime` writes it. */
export function jsonTime(sql: string): string {
  return `strftime(make_timestamp((${sql}) * 1000), '"%Y-%m-%dT%H:%M:%S.%gZ"')`;
}

/**
 * Returns SQL for a sentence with the escapes of a JSON string, without its quotes.
 * @param sentence writes the sentence with the given texts
 * @param values SQL for these texts, which need no escapes
 */
export function jsonSentence(
  sentence: (...texts: string[]) => string,
  ...values: string[]
): string {
  const template = JSON.stringify(sentence(...values.map((_, index) => `{${index}}`)));
  const parts = template
    .slice(1, -1)
    .split(/\{(\d)\}/)
    .map((part, index) => (index % 2 === 1 ? (values[Number(part)] ?? '') : sqlText(part)));
  return `concat(${parts.join(', ')})`;
}
