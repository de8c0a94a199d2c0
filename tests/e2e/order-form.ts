/** Returns the fields of the shop's order form, filled in. */
export function orderForm({ lastName = 'Rivera', state = 'IL' } = {}): Record<string, string> {
  return {
    firstName: 'Alex',
    lastName,
    email: 'alex@example.com',
    phone: '',
    line1: '1 Main Street',
    line2: '',
    city: 'Springfield',
    state,
    zipCode: '62701',
  };
}
