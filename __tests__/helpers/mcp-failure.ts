/** Number and our code of the error of the protocol that a request ends with. */
export async function failure(work: Promise<unknown>): Promise<[unknown, unknown]> {
  const error: unknown = await work.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  const { code, data } = Object(error);
  return [code, Object(data).code];
}
