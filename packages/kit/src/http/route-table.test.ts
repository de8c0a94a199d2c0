import { expect, test } from 'vitest';
import { route } from './route.ts';
import { withBudgetTable, withRouteTable } from './route-table.ts';

const document = `# Routes
<!-- routes: shop -->

old

<!-- end -->
<!-- routes: office -->

other

<!-- end -->
`;
const described = { summary: 'A test', answers: {} };
const routes = [
  route({
    ...described,
    method: 'get',
    path: '/a/:id',
    scope: 'read',
    priorities: [],
    budgets: { none: 'a test' },
    maxBodyBytes: 0,
  }),
  route({
    ...described,
    method: 'post',
    path: '/a',
    scope: 'money',
    priorities: ['charge', 'page'],
    budgets: ['address', 'key'],
    maxBodyBytes: { setting: 'LIMIT' },
  }),
];

test('regenerates the table of one listener, and keeps the rest of the document', () => {
  expect(withRouteTable(document, 'shop', routes)).toBe(`# Routes
<!-- routes: shop -->

<!-- oxfmt-ignore -->
| route | scope | priorities | budgets | body |
| --- | --- | --- | --- | --- |
| \`GET /a/:id\` | read | none | none: a test | 0 |
| \`POST /a\` | money | charge, page | address, key | \`LIMIT\` |

<!-- end -->
<!-- routes: office -->

other

<!-- end -->
`);
});

test('regenerates the table of the budgets of one program', () => {
  const place = '<!-- budgets: shop -->\n\nold\n\n<!-- end -->\n';
  const address = { counts: 'requests', spentBy: 'anyone there', neededBy: 'people there' };
  expect(withBudgetTable(`# Budgets\n${place}`, 'shop', { address })).toBe(`# Budgets
<!-- budgets: shop -->

<!-- oxfmt-ignore -->
| budget | counts | who can spend it | who needs it |
| --- | --- | --- | --- |
| address | requests | anyone there | people there |

<!-- end -->
`);
  expect(() => withBudgetTable(place, 'elsewhere', {})).toThrow(/budgets: elsewhere/);
});

test('rejects a document without the comments for the listener', () => {
  expect(() => withRouteTable(document, 'elsewhere', [])).toThrow(/routes: elsewhere/);
});
