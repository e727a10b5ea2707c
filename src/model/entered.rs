//! Methods that ran, by the names that the Java virtual machine has for them.

/// A method of the project that a test entered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EnteredMethod {
    /// The runtime's name for the class.
    pub class: String,
    pub name: String,
    pub descriptor: String,
    /// How many methods of the project were under way when it was entered first; 0 when the test itself called it, also
    /// through code that is not the project's.
    pub depth: u32,
    pub n_times: u32,
}

impl EnteredMethod {
    /// Reads its parameter types, written as in method keys; nothing where its descriptor is malformed.
    pub fn parameters(&self) -> Option<Vec<String>> {
        parameters(&self.descriptor)
    }
}

/// Reads the parameter types of a descriptor, written as in method keys; nothing where it is malformed.
fn parameters(descriptor: &str) -> Option<Vec<String>> {
    let list = descriptor.strip_prefix('(')?;
    let (mut list, _) = list.split_once(')')?;
    let mut types = Vec::new();
    while !list.is_empty() {
        let element = list.trim_start_matches('[');
        let n_dimensions = list.len() - element.len();
        let (name, rest) = match element.as_bytes().first()? {
            b'L' => {
                let (name, rest) = element[1..].split_once(';')?;
                (name.replace(['/', '$'], "."), rest)
            }
            letter => {
                let name = match letter {
                    b'B' => "byte",
                    b'C' => "char",
                    b'D' => "double",
                    b'F' => "float",
                    b'I' => "int",
                    b'J' => "long",
                    b'S' => "short",
                    b'Z' => "boolean",
                    _ => return None,
                };
                (name.to_owned(), &element[1..])
            }
        };
        types.push(name + &"[]".repeat(n_dimensions));
        list = rest;
    }
    Some(types)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn descriptors_are_read_as_method_keys_write_types() {
        for (descriptor, expected) in [
            ("()V", Some(vec![])),
            (
                "(I[JLjava/util/Map$Entry;)V",
                Some(vec!["int", "long[]", "java.util.Map.Entry"]),
            ),
            ("([[Lp/C;Z)I", Some(vec!["p.C[][]", "boolean"])),
            ("I", None),
            ("(Q)V", None),
            ("(Lp/C)V", None),
        ] {
            let found = parameters(descriptor);
            let found = found
                .as_ref()
                .map(|found| found.iter().map(String::as_str).collect::<Vec<_>>());
            assert_eq!(found, expected, "{descriptor}");
        }
    }
}
