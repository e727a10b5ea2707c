//! Why a pass changes nothing in a function, in words for people.

/// Why a function has no variant of a pass. Displayed as a lower-case fragment.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum UnchangedReason {
    #[error("it has {n_tokens} tokens")]
    Size { n_tokens: usize },
    /// The function lacks this.
    #[error("it has no {what}")]
    Without { what: &'static str },
    /// A reason that holds for all names of the function.
    #[error("{why}")]
    Names { why: &'static str },
    #[error("`{name}` {why}")]
    Name { name: String, why: &'static str },
    #[error("`{name}` would mean something else in a class")]
    PrivateName { name: String },
    #[error("`@{decorator}` may pass its parameters by name")]
    Decorator { decorator: String },
    #[error("a test's parameters are asked for by name")]
    Fixtures,
    #[error("its value is used where it is assigned")]
    UsedValue,
    #[error("it assigns several places")]
    SeveralPlaces,
    #[error("the added operand may change the variable that it is added to")]
    RunningOperand,
    #[error("`{place}` may do more than name a place")]
    BusyPlace { place: String },
    #[error("`{place}` is not a variable of its own")]
    ForeignPlace { place: String },
    #[error("the type of `{place}` is not known")]
    UnknownType { place: String },
    #[error("`{place}` is not a number")]
    NoNumber { place: String },
    #[error("`{code}` is not certainly {what}")]
    Uncertain { code: String, what: &'static str },
    #[error("a comparison may give something other than a truth value here")]
    SymbolicComparison,
    #[error("it calls itself, and comparing may be where the stack ends")]
    DeepComparison,
    #[error("its condition may narrow the type of a value")]
    TypeCondition,
    #[error("its condition binds a name")]
    BindingCondition,
    #[error("its condition decides which variables are assigned")]
    AssigningCondition,
    #[error("its condition may be constant, and decide {decides}")]
    ConstantCondition { decides: &'static str },
    #[error("comparing a parameter may do more than compare")]
    BusyComparing,
    #[error("printing a parameter may do more than print")]
    BusyPrinting,
    #[error("`{printer}` means something else in the file")]
    OtherPrinter { printer: &'static str },
    #[error("its body is an expression")]
    ExpressionBody,
    #[error("its first statement has no line of its own")]
    FirstShares,
    #[error("its only statement shares its line")]
    OnlyShares,
}
