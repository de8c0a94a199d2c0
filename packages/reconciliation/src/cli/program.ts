import type { ProgramDefinition, Register } from '@financing-checkout/kit/cli';
import { version } from '../version.ts';
import { meanings } from './peer.ts';
import { release } from './reach.ts';
import type { Shell } from './shell.ts';

type Load = () => Promise<Register<Shell>>;

const sync: Load = async () => (await import('./sync.ts')).registerSync;
const orders: Load = async () => (await import('./orders.ts')).registerOrders;
const answers: Load = async () => (await import('./answers.ts')).registerAnswers;
const exports: Load = async () => (await import('./exports.ts')).registerExports;
const imports: Load = async () => (await import('./imports.ts')).registerImport;
const upkeep: Load = async () => (await import('./upkeep.ts')).registerUpkeep;

export const reconcileProgram: ProgramDefinition<Shell> = {
  name: 'financing-reconcile',
  version,
  description: "Reconciles lenders' payments with settled orders, to the cent.",
  about: `Compares the merchant's ledger with the fundings that lenders posted, order by order. A difference is an
exception, and each exception has a case to work on. The program holds no key of the financing service: it
reads from the companion's back office.`,
  examples: [
    'financing-reconcile serve                          run the API and the background work',
    'financing-reconcile sync                           read fundings from the service',
    'financing-reconcile exceptions                     list exceptions',
    'financing-reconcile explain A-1001                 explain one order',
    'financing-reconcile walk --from 2026-11-01         show the cash walk, unexplained 0.00',
    'financing-reconcile exceptions --threshold 10 >/dev/null || notify-finance',
  ],
  variables: `Commands call the "serve" at RECONCILIATION_URL, or at RECONCILIATION_HOST and RECONCILIATION_PORT
(127.0.0.1:4002), with RECONCILIATION_TOKEN or the file in RECONCILIATION_TOKEN_FILE. If none runs there and
no address is set, a command opens the data itself, with the variables of "serve". A program of another
RECONCILIATION_STORE or RECONCILIATION_ENVIRONMENT than the command's is refused.
The README of @financing-checkout/reconciliation lists all variables.`,
  exits: meanings,
  commands: {
    serve: async () => (await import('./serve.ts')).registerServe,
    sync,
    status: sync,
    fundings: async () => (await import('./sync.ts')).registerFundings,
    orders,
    exceptions: orders,
    explain: orders,
    order: async () => (await import('./orders.ts')).registerOrder,
    cases: async () => (await import('./cases.ts')).registerCases,
    periods: async () => (await import('./periods.ts')).registerPeriods,
    journals: async () => (await import('./journals.ts')).registerJournals,
    lake: async () => (await import('./lake.ts')).registerLake,
    trail: async () => (await import('./trail.ts')).registerTrail,
    walk: answers,
    discounts: answers,
    radar: answers,
    months: answers,
    today: answers,
    lags: answers,
    forecast: answers,
    export: exports,
    'migrate-report': exports,
    import: imports,
    imports,
    rebuild: upkeep,
    backup: upkeep,
    doctor: async () => (await import('./doctor.ts')).registerDoctor,
  },
  release,
};
