//! Which tokens of a node the sequence leaves out: one row for each type of the grammar.
//!
//! A row holds forms, tried in order. A form is a list of words apart by spaces:
//!
//! | word | stands for |
//! | --- | --- |
//! | `return`, `(` … | this token, which the sequence leaves out |
//! | `'static'` | this token, which the sequence has |
//! | `_` | one child, whatever it is |
//! | `{modifiers}` | one child of this type |
//! | `*` | any number of children |
//! | `*,` | the same with `,` between them, left out |
//! | `{variable_declarator}*,` | the same, all of this type |
//!
//! A form has at most one `*`, so how many children there are says where each of them is. The first form that fits the
//! children in a sequence decides which tokens the sequence left out. Where it decides wrongly, as at the comma behind
//! the last element of an array, the sequence has every token ([`FULL`](crate::FULL)).

/// Types that are one token, their text, although they have children.
pub const ATOMS: &[&str] = &[
    "string_literal",
    "integral_type",
    "floating_point_type",
    "requires_modifier",
    "asterisk",
    "underscore_pattern",
];

/// Types that are nowhere in a sequence.
pub const COMMENTS: &[&str] = &["line_comment", "block_comment"];

/// The types of nodes with children, in the order of their names.
pub const JAVA: &[(&str, &[&str])] = &[
    ("annotated_type", &["*"]),
    ("annotation", &["@ _ _"]),
    ("annotation_argument_list", &["( *, )"]),
    ("annotation_type_body", &["{ * }"]),
    (
        "annotation_type_declaration",
        &["{modifiers} @interface *", "@interface *"],
    ),
    (
        "annotation_type_element_declaration",
        &[
            "{modifiers} _ _ ( ) ;",
            "_ _ ( ) ;",
            "{modifiers} _ _ ( ) default _ ;",
            "_ _ ( ) default _ ;",
        ],
    ),
    ("argument_list", &["( *, )"]),
    ("array_access", &["_ [ _ ]"]),
    ("array_creation_expression", &["new *"]),
    ("array_initializer", &["{ *, }"]),
    ("array_type", &["*"]),
    ("assert_statement", &["assert _ ;", "assert _ : _ ;"]),
    ("assignment_expression", &["*"]),
    ("binary_expression", &["*"]),
    ("block", &["{ * }"]),
    ("break_statement", &["break * ;"]),
    ("cast_expression", &["( *& ) _"]),
    ("catch_clause", &["catch ( _ ) _"]),
    ("catch_formal_parameter", &["*"]),
    ("catch_type", &["*|"]),
    ("class_body", &["{ * }"]),
    ("class_declaration", &["{modifiers} class *", "class *"]),
    ("class_literal", &["_ . class"]),
    ("compact_constructor_declaration", &["*"]),
    (
        "constant_declaration",
        &[
            "{modifiers} _ {variable_declarator}*, ;",
            "_ {variable_declarator}*, ;",
        ],
    ),
    ("constructor_body", &["{ * }"]),
    ("constructor_declaration", &["*"]),
    ("continue_statement", &["continue * ;"]),
    ("dimensions", &["[ ]", "*"]),
    ("dimensions_expr", &["* [ _ ]"]),
    ("do_statement", &["do _ while _ ;"]),
    ("element_value_array_initializer", &["{ *, }"]),
    ("element_value_pair", &["_ = _"]),
    ("enhanced_for_statement", &["for ( * : _ ) _"]),
    ("enum_body", &["{ *, {enum_body_declarations} }", "{ *, }"]),
    ("enum_body_declarations", &["; *"]),
    ("enum_constant", &["*"]),
    ("enum_declaration", &["{modifiers} enum *", "enum *"]),
    ("explicit_constructor_invocation", &["* ;"]),
    (
        "exports_module_directive",
        &["exports _ ;", "exports _ to *, ;"],
    ),
    ("expression_statement", &["_ ;"]),
    ("extends_interfaces", &["extends _"]),
    ("field_access", &["*."]),
    (
        "field_declaration",
        &[
            "{modifiers} _ {variable_declarator}*, ;",
            "_ {variable_declarator}*, ;",
        ],
    ),
    ("finally_clause", &["finally _"]),
    ("for_statement", &["for ( * ) _"]),
    ("formal_parameter", &["*"]),
    ("formal_parameters", &["( *, )"]),
    ("generic_type", &["*"]),
    ("guard", &["when _"]),
    ("if_statement", &["if _ _", "if _ _ else _"]),
    (
        "import_declaration",
        &[
            "import _ . '*' ;",
            "import 'static' _ . '*' ;",
            "import * ;",
        ],
    ),
    ("inferred_parameters", &["( *, )"]),
    ("instanceof_expression", &["_ instanceof *"]),
    ("interface_body", &["{ * }"]),
    (
        "interface_declaration",
        &["{modifiers} interface *", "interface *"],
    ),
    ("labeled_statement", &["_ : _"]),
    ("lambda_expression", &["_ -> _"]),
    (
        "local_variable_declaration",
        &[
            "{modifiers} _ {variable_declarator}*, ;",
            "_ {variable_declarator}*, ;",
        ],
    ),
    ("marker_annotation", &["@ _"]),
    ("method_declaration", &["*"]),
    (
        "method_invocation",
        &[
            "_ {argument_list}",
            "_ . _ {argument_list}",
            "_ . {type_arguments} _ {argument_list}",
            "_ . _ . _ {argument_list}",
            "_ . _ . {type_arguments} _ {argument_list}",
        ],
    ),
    ("method_reference", &["_ :: *"]),
    ("modifiers", &["*"]),
    ("module_body", &["{ * }"]),
    ("module_declaration", &["*"]),
    ("object_creation_expression", &["_ '.' new *", "new *"]),
    ("opens_module_directive", &["opens _ ;", "opens _ to *, ;"]),
    ("package_declaration", &["* package _ ;"]),
    ("parenthesized_expression", &["( _ )"]),
    ("pattern", &["*"]),
    ("permits", &["permits _"]),
    ("program", &["*"]),
    ("provides_module_directive", &["provides _ with *, ;"]),
    ("receiver_parameter", &["*"]),
    ("record_declaration", &["{modifiers} record *", "record *"]),
    ("record_pattern", &["*"]),
    ("record_pattern_body", &["( *, )"]),
    ("record_pattern_component", &["*"]),
    ("requires_module_directive", &["requires * ;"]),
    ("resource", &["_", "* = _"]),
    ("resource_specification", &["( *; )"]),
    ("return_statement", &["return * ;"]),
    ("scoped_identifier", &["_ . _"]),
    ("scoped_type_identifier", &["_ . *"]),
    ("spread_parameter", &["* ... _"]),
    ("static_initializer", &["static _"]),
    ("super_interfaces", &["implements _"]),
    ("superclass", &["extends _"]),
    ("switch_block", &["{ * }"]),
    (
        "switch_block_statement_group",
        &[
            "{switch_label} : {switch_label} : {switch_label} : {switch_label} : *",
            "{switch_label} : {switch_label} : {switch_label} : *",
            "{switch_label} : {switch_label} : *",
            "{switch_label} : *",
        ],
    ),
    ("switch_expression", &["switch _ _"]),
    ("switch_label", &["default", "case *, {guard}", "case *,"]),
    ("switch_rule", &["_ -> _"]),
    ("synchronized_statement", &["synchronized _ _"]),
    ("template_expression", &["_ . _"]),
    ("ternary_expression", &["_ ? _ : _"]),
    ("throw_statement", &["throw _ ;"]),
    ("throws", &["throws *,"]),
    ("try_statement", &["try *"]),
    ("try_with_resources_statement", &["try *"]),
    ("type_arguments", &["< *, >"]),
    ("type_bound", &["extends *&"]),
    ("type_list", &["*,"]),
    ("type_parameter", &["*"]),
    ("type_parameters", &["< *, >"]),
    ("type_pattern", &["*"]),
    ("unary_expression", &["*"]),
    ("update_expression", &["*"]),
    ("uses_module_directive", &["uses _ ;"]),
    (
        "variable_declarator",
        &["_ {dimensions}", "_ {dimensions} = _", "_", "_ = _"],
    ),
    ("while_statement", &["while _ _"]),
    ("wildcard", &["?", "? 'extends' _", "? 'super' _"]),
    ("yield_statement", &["yield _ ;"]),
];
