import type { caseListOperations, caseOperations, manyCasesOperations } from './case-operations.ts';
import type { dailyOperations } from './daily-operations.ts';
import type { fundingOperations, syncListOperations } from './funding-operations.ts';
import type { importListOperations } from './import-operations.ts';
import type { journalOperations } from './journal-operations.ts';
import type { moneyOperations } from './money-operations.ts';
import type { Answer, Input, Names } from './operation.ts';
import type {
  orderChargeOperations,
  orderListOperations,
  ordersOperations,
} from './order-operations.ts';
import type { periodOperations } from './period-operations.ts';
import type { trailOperations } from './trail-operations.ts';

export type Operations =
  | typeof caseListOperations
  | typeof caseOperations
  | typeof dailyOperations
  | typeof fundingOperations
  | typeof importListOperations
  | typeof journalOperations
  | typeof manyCasesOperations
  | typeof moneyOperations
  | typeof orderChargeOperations
  | typeof orderListOperations
  | typeof ordersOperations
  | typeof periodOperations
  | typeof syncListOperations
  | typeof trailOperations;

/** A declared operation by its method and path: `get /periods/:period`. */
export type OperationName = Names<Operations>;
export type Reading = OperationName & `get ${string}`;
export type InputOf<Name extends OperationName> = Input<Operations, Name>;
export type AnswerOf<Name extends OperationName> = Answer<Operations, Name>;
