import { InvalidArgumentError } from 'commander';
import { z } from 'zod';
import type { OptionOf } from './options.ts';

/**
 * Makes the option of a field of a request from its schema: choices, a flag or a number, and whether it is
 * required.
 * @param described `--name <value>  text`, or the text alone
 */
export function optionOf(schema: z.ZodType, described: string): OptionOf<unknown> {
  const [, placeholder, text = ''] = /^(?:--\S+\s+(<[^>]+>)?\s*)?(.*)$/s.exec(described) ?? [];
  const isRequired = !schema.safeParse(undefined).success;
  const content = contentOf(schema);
  if (isSwitch(schema, content)) return { text, isRequired };
  const choices = content instanceof z.ZodEnum ? content.options.map(String) : undefined;
  return {
    placeholder: placeholder ?? '<value>',
    text,
    isRequired,
    ...(choices ? { choices } : { read: (typed) => readAs(schema, content, typed) }),
  };
}

/** Returns the value that a request has of a typed text. */
function readAs(schema: z.ZodType, content: z.core.$ZodType, typed: string): string | number {
  const value = content instanceof z.ZodNumber ? Number(typed) : typed;
  const { error, success } = schema.safeParse(value);
  if (success) return value;
  const [{ message } = { message: 'is invalid' }] = error.issues;
  throw new InvalidArgumentError(message.startsWith('must') ? `It ${message}.` : message);
}

function isSwitch(schema: z.ZodType, content: z.core.$ZodType): boolean {
  return content instanceof z.ZodBoolean || schema.safeParse('true').data === true;
}

/** Returns the schema inside of defaults and conversions. */
function contentOf(schema: z.core.$ZodType): z.core.$ZodType {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodDefault) {
    return contentOf(schema.def.innerType);
  }
  return schema instanceof z.ZodPipe ? contentOf(schema.def.in) : schema;
}
