import { InvalidArgumentError } from 'commander';
import { z } from 'zod';
import type { OptionOf } from './options.ts';

/**
 * Derives a command option from the schema of a request field: its choices, whether it is a flag or a
 * number, and whether it is required.
 * @param described `--name <value>  text`, of which the name and the value may be missing
 */
export function optionOf(schema: z.ZodType, described: string): OptionOf<unknown> {
  const [, placeholder, text = ''] = /^(?:--\S+\s+)?(?:(<[^>]+>)\s+)?(.*)$/s.exec(described) ?? [];
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

/** Converts an option's text to the type that the schema expects. */
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

/** Returns the inner schema, without defaults and conversions. */
function contentOf(schema: z.core.$ZodType): z.core.$ZodType {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodDefault) {
    return contentOf(schema.def.innerType);
  }
  return schema instanceof z.ZodPipe ? contentOf(schema.def.in) : schema;
}
