import { problems, problemSchema } from '@financing-checkout/contract/storefront';
import { type Json, openApiDocument, type Route } from '@financing-checkout/kit/http';
import { z } from 'zod';
import { type Operation, reading } from './operation.ts';
import { actionOperations } from './routes/actions.ts';
import { caseSheetOperations } from './routes/case-sheets.ts';
import { caseOperations } from './routes/cases.ts';
import { chargeOperations } from './routes/charges.ts';
import { dayOperations } from './routes/days.ts';
import { exportOperations } from './routes/exports.ts';
import { importOperations } from './routes/imports.ts';
import { metricsOperations } from './routes/metrics.ts';
import { moneyOperations } from './routes/money.ts';
import { orderOperations } from './routes/orders.ts';
import { journalRouteTable } from './routes/journals.ts';
import { lakeOperations } from './routes/lake.ts';
import { periodRouteTable } from './routes/periods.ts';
import { healthOperations, processOperations } from './routes/process.ts';
import { sessionOperations } from './routes/session.ts';
import { signInOperations } from './routes/sign-in.ts';
import { syncOperations } from './routes/syncs.ts';
import { todayOperations } from './routes/today.ts';

export const documentOperation = reading('/openapi.json', 'This document', z.looseObject({}), {
  scope: 'none',
  budgets: { none: 'answers from memory' },
});

export const operations: readonly Route<Operation>[] = [
  documentOperation,
  ...Object.values(healthOperations),
  ...Object.values(sessionOperations),
  ...Object.values(signInOperations),
  ...Object.values(chargeOperations),
  ...Object.values(processOperations),
  ...Object.values(metricsOperations),
  ...Object.values(orderOperations),
  ...Object.values(caseOperations),
  ...Object.values(caseSheetOperations),
  ...Object.values(moneyOperations),
  ...Object.values(periodRouteTable),
  ...Object.values(journalRouteTable),
  ...Object.values(lakeOperations),
  ...Object.values(exportOperations),
  ...Object.values(importOperations),
  ...Object.values(syncOperations),
  ...Object.values(dayOperations),
  ...Object.values(todayOperations),
  ...Object.values(actionOperations),
];

export function apiDocument(version: string): Json {
  return openApiDocument({
    title: 'Financing Checkout reconciliation',
    version,
    problems,
    problemSchema,
    apis: [{ routes: operations }],
    securitySchemes: {
      token: {
        type: 'http',
        scheme: 'bearer',
        description:
          'A token of RECONCILIATION_TOKENS with the scope that is named. On loopback where none is set, every scope except `money` needs none.',
      },
      session: {
        type: 'apiKey',
        in: 'cookie',
        name: '__Host-financing-console-443',
        description:
          'The cookie of a session of the console, from `POST /console/session` or a sign-in at the OpenID provider; its name ends with the port of the address, and on loopback it has no `__Host-`. Only pages of the same origin may use it, and only with `Financing-Console: 1` for other methods than GET and HEAD.',
      },
    },
  });
}
