import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { addressSchema, consumerFieldSchemas, consumerSchema } from './consumer.ts';
import { orderSchema } from './order.ts';

const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8');
const rows = new Map(
  Array.from(
    readme.matchAll(/^\| `([\w.[\]]+)` +\| ([^|]+?) +\| (yes|no) +\| ([^|]+?) +\| ([^|]+?) +\|$/gm),
  ).map(
    ([, field = '', type = '', required = '', limit = '', whose = '']) =>
      [field, { type, required: required === 'yes', limit, whose }] as const,
  ),
);

interface JsonSchema {
  type?: string;
  properties?: Record<string, JsonSchema>;
  required?: string[];
  items?: JsonSchema;
  enum?: string[];
  maxLength?: number;
  maximum?: number;
  minimum?: number;
  minItems?: number;
  maxItems?: number;
}

/** The fields of a schema by their path, with the limit as the table words it. */
function fieldsOf(
  schema: JsonSchema,
  prefix = '',
): [string, { required: boolean; limit: string }][] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, field]) => {
    const path = `${prefix}${name}`;
    const own = { required: schema.required?.includes(name) ?? false, limit: limitOf(field) };
    const inner = field.items ? fieldsOf(field.items, `${path}[].`) : fieldsOf(field, `${path}.`);
    return [[path, own] as [string, typeof own], ...inner];
  });
}

function limitOf({
  enum: values,
  maxLength,
  minItems = 0,
  maxItems,
  minimum,
  maximum,
}: JsonSchema): string {
  if (values) return values.map((value) => `\`${value}\``).join(', ');
  if (maxLength !== undefined) return `${maxLength} characters`;
  if (maxItems !== undefined) return `${minItems} to ${maxItems} entries`;
  return maximum === undefined ? '' : `${minimum} to ${maximum}`;
}

const jsonSchemaOf = (schema: z.ZodType) =>
  z.toJSONSchema(schema, { io: 'output', unrepresentable: 'any' }) as JsonSchema;
const consumerFields = z.object({
  ...z.object(consumerFieldSchemas).partial().shape,
  shippingAddress: addressSchema.optional(),
  billingAddress: addressSchema.optional(),
});
const fields = [
  ...fieldsOf(jsonSchemaOf(orderSchema)),
  ...fieldsOf(jsonSchemaOf(consumerFields), 'consumer.').filter(
    ([path]) => !path.includes('Address.'),
  ),
  ...fieldsOf(jsonSchemaOf(addressSchema), 'consumer.shippingAddress.'),
];

it.each(fields)(
  'the table of limits states %s as the schema has it',
  (path, { required, limit }) => {
    expect(rows.get(path)).toMatchObject({ required, ...(limit && { limit }) });
  },
);

it('the table of limits states no other field', () => {
  expect([...rows.keys()].toSorted()).toEqual(fields.map(([path]) => path).toSorted());
});

it('checks each field of the consumer', () => {
  const known = Object.keys(consumerSchema.def.in.def.shape).toSorted();
  expect(Object.keys(consumerFields.shape).toSorted()).toEqual(known);
});
