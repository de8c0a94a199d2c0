import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { consumerSchema } from './consumer.ts';
import { MAX_ORDER_TICKET_LENGTH } from './order.ts';
import { describedOrderSchema, describedTicketClaimsSchema } from './ticket-description.ts';

const page = readFileSync(new URL('../../../../docs/order-ticket.md', import.meta.url), 'utf8');
const rows = new Map(
  Array.from(
    page.matchAll(/^\| `([\w.[\]]+)` +\| ([^|]+?) +\| (yes|no) +\| ([^|]+?) +\| ([^|]+?) +\|$/gm),
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
  minLength?: number;
  maxLength?: number;
  maximum?: number;
  minimum?: number;
  minItems?: number;
  maxItems?: number;
}

/** Returns the fields of a schema by path, with the limit as in the table. */
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
  minLength = 0,
  maxLength,
  minItems = 0,
  maxItems,
  minimum,
  maximum,
}: JsonSchema): string {
  if (values) return values.map((value) => `\`${value}\``).join(', ');
  if (maxLength !== undefined) {
    return minLength > 1 ? `${minLength} to ${maxLength} characters` : `${maxLength} characters`;
  }
  if (maxItems !== undefined) return `${minItems} to ${maxItems} entries`;
  return maximum === undefined ? '' : `${minimum} to ${maximum}`;
}

const jsonSchemaOf = (schema: z.ZodType) =>
  z.toJSONSchema(schema, { io: 'output', unrepresentable: 'any' }) as JsonSchema;
const { consumer, ...order } = describedOrderSchema.shape;
const fields: [string, { required: boolean; limit: string }][] = [
  ...fieldsOf(jsonSchemaOf(describedTicketClaimsSchema)).filter(
    ([path]) => !path.startsWith('order.'),
  ),
  // The two addresses have the same fields, which the page lists once.
  ...fieldsOf(jsonSchemaOf(z.object({ ...order, consumer }))).filter(
    ([path]) => !path.includes('billingAddress.'),
  ),
];

it.each(fields)('the table of limits states %s as in the schema', (path, { required, limit }) => {
  expect(rows.get(path)).toMatchObject({ required, ...(limit && { limit }) });
});

it('the table of limits contains no unknown field', () => {
  expect([...rows.keys()].toSorted()).toEqual(fields.map(([path]) => path).toSorted());
});

it('the page states the maximum ticket length', () => {
  expect(page).toContain(`at most ${MAX_ORDER_TICKET_LENGTH.toLocaleString('en')} characters`);
});

it('describes each checked field of the consumer', () => {
  const described = Object.keys(consumer.unwrap().shape).toSorted();
  expect(described).toEqual(Object.keys(consumerSchema.def.in.def.shape).toSorted());
});
