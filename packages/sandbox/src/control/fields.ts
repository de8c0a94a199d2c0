import { z } from 'zod';
import { ArgumentError } from '../platform/problem.ts';

/** What the command line and the page need to know about a field; derived from its schema. */
export interface Field {
  kind: 'text' | 'secret' | 'number' | 'list' | 'switch';
  choices?: readonly string[];
  /** Parses an argument; undefined for a string field. */
  read?: (text: string) => unknown;
  /** Default value; undefined if there is none, or if it depends on other fields. */
  initial?: unknown;
  required: boolean;
}

/** Returns the field at a dotted path of a schema. */
export function fieldAt(schema: z.ZodType, path: string): Field {
  const [name = '', ...rest] = path.split('.');
  const content = contentOf(schema);
  const objects = content instanceof z.ZodUnion ? content.options : [content];
  const found = objects.flatMap((object) => {
    const shape = object instanceof z.ZodObject ? (object.shape as z.ZodRawShape) : {};
    return shape[name] === undefined ? [] : [shape[name] as z.ZodType];
  });
  const [first, ...others] = found;
  if (!first) throw new Error(`The input has no field ${path}.`);
  if (rest.length > 0) return fieldAt(first, rest.join('.'));
  // Each object of a union has its own literal; together the literals are the field's choices.
  const choices = found.flatMap((field) => choicesOf(contentOf(field)));
  const inner = contentOf(first);
  return {
    kind: kindOf(inner),
    choices: choices.length > 0 ? choices : undefined,
    read: inner instanceof z.ZodNumber ? numberReader(inner) : undefined,
    initial:
      others.length === 0 && first instanceof z.ZodDefault ? first.def.defaultValue : undefined,
    required: objects.length === 1 && !first.safeParse(undefined).success,
  };
}

function kindOf(content: z.core.$ZodType): Field['kind'] {
  if (content instanceof z.ZodNumber) return 'number';
  if (content instanceof z.ZodArray) return 'list';
  if (content instanceof z.ZodBoolean) return 'switch';
  if (content instanceof z.ZodLiteral && content.value === true) return 'switch';
  return content instanceof z.ZodString && content.meta()?.format === 'password'
    ? 'secret'
    : 'text';
}

/** Returns the inner schema, without default and conversion. */
function contentOf(schema: z.core.$ZodType): z.core.$ZodType {
  if (
    schema instanceof z.ZodOptional ||
    schema instanceof z.ZodNullable ||
    schema instanceof z.ZodDefault ||
    schema instanceof z.ZodPrefault
  ) {
    return contentOf(schema.def.innerType);
  }
  if (!(schema instanceof z.ZodPipe)) return schema;
  const { in: first, out: last } = schema.def;
  return contentOf(first instanceof z.ZodTransform ? last : first);
}

function choicesOf(content: z.core.$ZodType): readonly string[] {
  if (content instanceof z.ZodEnum) return content.options.map(String);
  if (!(content instanceof z.ZodLiteral)) return [];
  return [...content.values].filter((value) => typeof value === 'string');
}

/** Returns a parser for the numbers that the schema accepts. */
function numberReader(schema: z.ZodNumber): (text: string) => number {
  const [from, to] = [schema.minValue ?? -Infinity, schema.maxValue ?? Infinity];
  const isBounded = to < Number.MAX_SAFE_INTEGER;
  const kind = schema.format?.includes('int')
    ? 'whole number'
    : isBounded
      ? 'number'
      : 'decimal number such as 12.50';
  return (text) => {
    const value = /^-?(\d{1,15}(\.\d{1,4})?|\.\d{1,4})$/.test(text) ? Number(text) : Number.NaN;
    if (schema.safeParse(value).success) return value;
    throw new ArgumentError(`It is a ${kind}${isBounded ? ` from ${from} to ${to}` : ''}.`);
  };
}
