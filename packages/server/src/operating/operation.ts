import type { ProblemCode } from '@financing-checkout/contract';
import type { z } from 'zod';

/**
 * What a token of the back office permits. Each includes `read`.
 * - `read`: look at everything but what is about a person.
 * - `fundings`: pages of fundings as the service sends them, names and e-mail addresses in them.
 * - `webhooks`: send messages to the shop again.
 * - `money`: settle, refund and void charges, say what became of such an operation.
 */
export const scopes = ['read', 'fundings', 'webhooks', 'money'] as const;
export type Scope = (typeof scopes)[number];

export function isScope(text: string): text is Scope {
  return scopes.some((scope) => scope === text);
}

/** What a request must carry to be answered at all; a scope: a token of the back office with it. */
export type Access = 'public-key' | Scope | 'notification' | 'none';

export interface OperationAnswer {
  description: string;
  /** @default no body */
  schema?: z.ZodType;
  /** @default 'application/json' */
  contentType?: string;
  /** Other media types it may come in, and what is in them then. */
  others?: Readonly<Record<string, z.ZodType>>;
}

/** One operation of an API, as its documents describe it. Made of the schemas that check it. */
export interface Operation {
  method: 'get' | 'post';
  /** As the router has it: `/checkout/:id`. */
  path: string;
  summary: string;
  description?: string;
  access: Access;
  /** Parameters by name. */
  query?: { shape: Readonly<Record<string, z.ZodType>> };
  /** Headers beside Authorization, with what they are for. */
  headers?: Record<string, string>;
  body?: { schema: z.ZodType } & Pick<OperationAnswer, 'contentType' | 'others'>;
  /** By HTTP status, or by a class of them. */
  answers: { [status: number]: OperationAnswer; '4XX'?: OperationAnswer; '5XX'?: OperationAnswer };
  /** Problems of this operation; those that its access brings with it are added. */
  problems?: readonly ProblemCode[];
}
