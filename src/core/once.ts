/** A function that makes a value when it is first called, and returns it from then on: for what is costly to make, and not needed at the start. */
export function once<Value>(make: () => Value): () => Value {
  let made: { value: Value } | null = null
  return () => {
    made ??= { value: make() }
    return made.value
  }
}
