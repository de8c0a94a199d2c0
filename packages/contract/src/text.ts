import { z } from 'zod';

/** A trimmed text of 1 to `max` characters. */
export const text = (max: number) => z.string().trim().min(1).max(max);

/** Returns whether a value means that a field is absent. */
export function isBlank(value: unknown): boolean {
  return (
    value === null || value === undefined || (typeof value === 'string' && value.trim() === '')
  );
}

/** Makes a schema optional; null and blank texts count as absent. */
export function unlessBlank<Schema extends z.ZodType>(schema: Schema) {
  return z
    .preprocess((value) => (isBlank(value) ? undefined : value), schema.optional())
    .optional();
}

type Present<Fields> = { [Name in keyof Fields]?: Exclude<Fields[Name], undefined> };

/** Returns the fields that have a value. */
export function present<Fields extends object>(fields: Fields): Present<Fields> {
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== undefined),
  ) as Present<Fields>;
}
