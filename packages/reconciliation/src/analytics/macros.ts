/** Macros of the analytics database, made with its tables. */
export const macros = `
create macro own_day(id) as left(id, 10);
`;
