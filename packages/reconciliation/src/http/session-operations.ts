import { sessionRequestSchema, sessionSchema } from '@financing-checkout/contract';
import { z } from 'zod';
import { MAX_BODY_BYTES, ofChange, ofQuestion, type Operation } from './operation.ts';

const json = ['application/json'];
const headers = { 'Financing-Console': '1: a page of another origin cannot send it.' };
const path = '/console/session';
const ofSession = { ...ofQuestion, isOfSession: true, problems: ['session-ended'] } as const;

/** Operations of the console's sessions. */
export const sessionOperations: readonly Operation[] = [
  {
    ...ofChange,
    method: 'post',
    path,
    scope: 'none',
    headers,
    budgets: ['sign-ins'],
    summary: 'Sign in to the console',
    description:
      'Sets the cookie of a session, which takes the place of the token: HttpOnly, SameSite=Strict, and Secure off loopback. It ends half an hour after the last renewal, and after 12 hours in any case; also when its token is removed. Failed sign-ins of a client address are limited to 10 in a minute.',
    body: { contentTypes: json, schema: sessionRequestSchema },
    answer: { status: 201, schema: sessionSchema },
    problems: [
      'invalid-request',
      'token-invalid',
      'origin-not-allowed',
      'media-type-unsupported',
      'rate-limited',
    ],
  },
  {
    method: 'get',
    path,
    ...ofSession,
    summary: 'The session of the console',
    answer: { schema: sessionSchema },
  },
  {
    method: 'post',
    path: `${path}/renewal`,
    headers,
    ...ofSession,
    maxBodyBytes: MAX_BODY_BYTES,
    summary: 'Prolong the session of the console',
    description: 'For the activity of a person; no other request prolongs a session.',
    body: { contentTypes: json, schema: z.strictObject({}) },
    answer: { schema: sessionSchema },
  },
  {
    method: 'delete',
    path,
    headers,
    ...ofSession,
    summary: 'Sign out of the console',
    answer: { status: 204, contentTypes: [] },
  },
];
