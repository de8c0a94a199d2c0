import {
  type ProblemCode,
  problemCodes,
  problems,
  problemType,
} from '@financing-checkout/contract/storefront';
import { type Page, table } from '../markdown.ts';
import { type Api, operationsWith } from './operations.ts';

/** What to do about each problem. An answer's `detail` says more about the particular case. */
const remedies: Readonly<Record<ProblemCode, string>> = {
  'invalid-request':
    'Correct the fields that `errors` names, each with its path and the rule it breaks. The value is never repeated.',
  'version-unsupported':
    'Use an element of the same release as the companion, or send the `Financing-Checkout-Version` that `detail` names.',
  'idempotency-key-missing':
    'Send an `Idempotency-Key` header, new for each action and the same for each repetition of it.',
  'private-key-exposed':
    'Each visitor of the page can read the private key. [Rotate it](/operate/deploying/#rotating-the-private-key) first, then put the public key into the page.',
  'public-key-invalid':
    'Send `Authorization: Bearer` with the Public API Key of this companion: the `public-key` of the element is of another environment, or is missing.',
  'token-invalid':
    'Send `Authorization: Bearer` with a token that the program is configured with. A notification needs the value that was agreed with the service (`NOTIFICATION_AUTHORIZATION`).',
  'session-ended':
    'Sign in to the console again. A session ends after 30 minutes without use, after 12 hours, when its token is removed, when the OpenID provider ends it, and when it does not confirm it in time: `detail` says what it left out.',
  'token-not-permitted':
    'Use a token with the scope that `detail` names, or add the scope to the token in the configuration of the program.',
  'origin-not-allowed':
    'Add the origin of the page to `COMPANION_ALLOWED_ORIGINS`. For the console behind a proxy that changes the `Host` header, set `RECONCILIATION_URL` to the address of the page.',
  'not-found':
    'Check the path of the request, and the id in it. `detail` names what does not exist, or what is not configured.',
  'checkout-not-found':
    'The checkout is unknown to this companion, or the request lacks its secret: send the `Idempotency-Key` of its prime as `Financing-Checkout-Secret`.',
  'charge-not-found':
    'Check the id of the charge, and that the companion is of the environment in which the charge was created.',
  'order-not-found':
    'Check the id of the order and its currency. Reconciliation knows an order once a ledger line or a funding of it has arrived.',
  'case-not-found': 'Check the id of the case, for example with `financing-reconcile cases`.',
  'method-not-allowed': 'Use a method that the `Allow` header of the answer names.',
  'idempotency-in-flight':
    'The first request with this `Idempotency-Key` has not ended. Wait a moment, then send the same request with the same key.',
  'environment-mismatch':
    'Give the element, its public key and the backend that signs the ticket the environment of the companion.',
  'checkout-not-open':
    'The checkout has ended, or its charge exists already. Ask for its status; for another try, start a new checkout.',
  'order-changed':
    'Nothing was charged. The order has another amount than the one that lenders approved: start again with the current order. `amounts` has both.',
  'order-ticket-used':
    'Continue with the open checkout, or cancel it and start again. A pending checkout must end first.',
  'charge-busy':
    'Another operation on this charge is in flight, or its outcome is being looked up. `GET /charges/{id}` lists it; wait until it has ended.',
  'charge-currency-unclear':
    'Nothing was done. Send the currency of the charge as `currency`; it must be the currency of its order.',
  'charge-not-permitted':
    'Read the state of the charge: it has no amount left for this operation, or the service does not permit it in this state.',
  'operation-not-permitted':
    'Only an operation with an unclear outcome can be resolved: read its state first.',
  'sync-busy':
    'Follow the running sync, which is the first of `GET /syncs`, and repeat the request when it has ended.',
  'import-busy': 'Nothing of this request was imported. Repeat it when the other import has ended.',
  'period-not-found':
    'Periods begin with the oldest ledger line or funding. For an earlier one, import or sync its days.',
  'period-not-ready':
    'Finish the checks of the period that `detail` names, or accept them with a reason: see [Closing a month](/finance/closing/).',
  'period-changed':
    'New facts arrived, or another person decided, and nothing was closed or written. Look at the period again, then repeat the step with the digest of now; a changed statement needs a new preparation.',
  'period-not-permitted':
    'The period has another state than the step needs: periods are prepared, closed and reopened in this order, and closed one after the other. If `detail` names the trail, run `financing-reconcile trail verify`: nothing is decided on an altered one.',
  'second-person-required':
    'Another person than the one who prepared the period, or asked to reopen it, has to approve it, within seven days and with a sign-in or a token of their own.',
  'journal-not-found':
    'Check the number of the export, or of its entry: `GET /journals` lists the exports.',
  'journal-empty':
    'Nothing of the period has moved since the last export, so there is no file to write.',
  'journal-refused':
    'The accounting system would refuse or cut something: `detail` names it. Change the chart of accounts, then repeat the export.',
  'case-not-permitted':
    'The state of the case does not permit the action. `parameters` has the state and, for a merged case, the case to use.',
  'case-changed':
    'Another person changed the case after it was read. Read it again, then decide whether the action is still right.',
  'case-sheet-changed':
    'Nothing was applied: the sheet, its cases or their lines changed after the comparison. Upload the sheet again to see its differences.',
  'request-too-large':
    'Send a smaller body: `detail` has the maximum. Split a ledger file into several imports.',
  'media-type-unsupported':
    'Send one of the content types that the operation lists, without `Content-Encoding`.',
  'idempotency-key-reused': 'Use a new `Idempotency-Key` for a request with another body.',
  'order-ticket-invalid':
    'Sign the ticket as [The order ticket](/storefront/order-ticket/) describes, with the secret of this companion. `detail` or `errors` names what is wrong.',
  'order-ticket-expired':
    'Render the page again for a new ticket. Check the clocks of both machines if it was new.',
  'amount-exceeds-charge': 'Send at most the amount that is left: `detail` has it in minor units.',
  'order-totals-mismatch':
    'Items and warranties, minus discounts, plus tax and shipping, must equal `totalAmount` in minor units.',
  'rate-limited': 'Nothing was done. Wait as long as the `Retry-After` header says.',
  internal:
    'Look up `requestId` in the log of the program. With the companion, `financing-companion explain` shows its history.',
  'transfer-coding-unsupported':
    'Send the body with a `Content-Length`, or with `Transfer-Encoding: chunked` alone.',
  'service-rejected':
    'The service refused the request: `detail` has its status and codes, `serviceRequestId` its id for a question to the service.',
  'service-answer-invalid':
    'The answer of the service has another form than its contract. Ask the service, with `serviceRequestId`; the log has more.',
  'service-key-rejected':
    'Check the private key, and that it belongs to this environment: `financing-companion doctor` does both.',
  'service-unavailable':
    'Nothing was done. Repeat the request in a moment; `financing-companion doctor` checks the connection.',
  'store-unavailable':
    'The database cannot be reached. Repeat the request with the same `Idempotency-Key` after `Retry-After`.',
  'lake-not-configured': 'Set `RECONCILIATION_LAKE` to a folder that exists, and restart.',
  'lake-unavailable':
    'Check the folder of `RECONCILIATION_LAKE`, its rights and its free space; `financing-reconcile doctor` says what is wrong.',
  'provider-unavailable':
    'The OpenID provider did not answer, or not as the standard says: check `RECONCILIATION_OIDC_ISSUER` with `financing-reconcile doctor`.',
  'companion-unavailable':
    'Reconciliation could not read the companion: check that it runs, its address and its token with `financing-reconcile doctor`.',
  'not-ready':
    'The analytics database is being loaded, and no data is lost. Repeat the request in a moment.',
  standby:
    'Another process has the lease and writes. Send the request to it, or repeat it after `Retry-After`.',
  overloaded: 'Too many requests at a time. Nothing was done; repeat the request in a moment.',
  'storage-full':
    'Nothing was imported. Free space on the disk of the analytics database, then repeat the request.',
  'outcome-unknown':
    'The service may have done it. Send the same request with the same `Idempotency-Key` again: the answer has the outcome once it is known. Never start again with a new key before.',
};

function errorPage(code: ProblemCode, apis: readonly Api[]): Page {
  const { status, title } = problems[code];
  const answered = apis.flatMap((api) =>
    operationsWith(api, code).map(({ at, method, path, summary }) => [
      `[\`${method} ${path}\`](${at})`,
      api.title,
      summary,
    ]),
  );
  const example = {
    type: problemType(code),
    code,
    title,
    status,
    requestId: 'req_1f9k2mQw7hTk',
    retrySafe: false,
  };
  const parts = [
    `# ${code}`,
    `**${status}**: ${title}.`,
    '## What to do',
    remedies[code],
    '`retrySafe` of the answer says whether the request may be sent again with a new `Idempotency-Key`.',
    '## Answer',
    `\`\`\`json\n${JSON.stringify(example, null, 2)}\n\`\`\``,
    answered.length > 0
      ? `## Operations that answer it\n\n${table(['operation', 'API', 'what it does'], answered)}`
      : 'Any address of a program can answer it.',
  ];
  return { id: `errors/${code}`, markdown: `${parts.join('\n\n')}\n` };
}

/** Returns the list of errors, and a page for each of them. */
export function errorPages(apis: readonly Api[]): Page[] {
  const rows = problemCodes.map((code) => [
    `[\`${code}\`](/errors/${code}/)`,
    String(problems[code].status),
    problems[code].title,
  ]);
  const list = `# Errors

Every error of the companion and of reconciliation is a problem (RFC 9457, \`application/problem+json\`) with a stable
\`code\`. The code is the last part of its \`type\`: a URN or, with
\`COMPANION_DOCS_URL\` and \`RECONCILIATION_DOCS_URL\`, the address of the page of the code here. \`detail\` says what to do in the one case, and \`requestId\` finds the
request in the log.

${table(['code', 'status', 'meaning'], rows)}
`;
  return [{ id: 'errors', markdown: list }, ...problemCodes.map((code) => errorPage(code, apis))];
}
